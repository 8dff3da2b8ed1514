// Loaded into a replica before anything else. On SIGUSR2 it says what the process holds, and whether somebody has put a
// property on the prototypes of all objects.
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, rss } = process.memoryUsage();
  const polluted = 'polluted' in {} || 'polluted' in [] || 'polluted' in (() => {});
  process.stdout.write(`held:${JSON.stringify({ heapUsed, rss, resources, polluted })}\n`);
});
