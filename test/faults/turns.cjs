// Preloaded into the service. On SIGUSR2 it prints how long the longest turn of the event loop since the last time has
// worked, in milliseconds.
const { isMainThread } = require('node:worker_threads');
const { cpuTimeOf } = require('./cpu-time.cjs');

if (isMainThread) {
  const worked = cpuTimeOf(process.pid);
  let last = worked();
  let longest = 0;
  const turn = () => {
    const now = worked();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(turn, 1).unref();
  process.on('SIGUSR2', () => {
    turn();
    process.stdout.write(`turn:${longest.toFixed(1)}\n`);
    longest = 0;
  });
}
