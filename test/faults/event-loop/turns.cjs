// Preloaded into the service. On SIGUSR2 it prints the longest turn of the event loop since the last time, in
// milliseconds of the CPU time of its thread, which other processes on the machine do not prolong.
const { openSync, readSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const statistics = openSync(`/proc/self/task/${process.pid}/schedstat`);
  const bytes = Buffer.alloc(64);
  const used = () => {
    const length = readSync(statistics, bytes, 0, bytes.length, 0);
    return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
  };
  let last = used();
  let longest = 0;
  const turn = () => {
    const now = used();
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
