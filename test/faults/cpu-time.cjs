const { openSync, readSync } = require('node:fs');

/**
 * A function that returns how long the main thread of a process has worked, in milliseconds. Unlike the clock, it does
 * not count what other processes on the machine take.
 */
module.exports.cpuTimeOf = (pid) => {
  const statistics = openSync(`/proc/${pid}/task/${pid}/schedstat`);
  const bytes = Buffer.alloc(64);
  return () => {
    const length = readSync(statistics, bytes, 0, bytes.length, 0);
    return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
  };
};
