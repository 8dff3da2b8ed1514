const { openSync, readSync } = require('node:fs');

/** A function that returns one of the times in nanoseconds that the kernel keeps of a thread, in milliseconds. */
function timeOf(thread, index) {
  const statistics = openSync(`/proc/${thread}/schedstat`);
  const bytes = Buffer.alloc(64);
  return () => {
    const length = readSync(statistics, bytes, 0, bytes.length, 0);
    return Number(bytes.toString('latin1', 0, length).split(' ')[index]) / 1e6;
  };
}

/**
 * A function that returns how long the main thread of a process has worked, in milliseconds. Unlike the clock, it does
 * not count what other processes on the machine take.
 */
module.exports.cpuTimeOf = (pid) => timeOf(`${pid}/task/${pid}`, 0);

/** A function that returns how long this thread has waited for a processor, in milliseconds. */
module.exports.ownWaitingTime = () => timeOf('thread-self', 1);
