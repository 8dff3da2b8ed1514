// Preloaded into a replica. On SIGUSR2 it prints the memory and active resources of the process.
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, rss } = process.memoryUsage();
  process.stdout.write(`held:${JSON.stringify({ heapUsed, rss, resources })}\n`);
});
