// CPU seconds and memory of processes, from Linux's own accounting.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS = 100;

/** CPU seconds of a process and its children, including ended ones. */
export function cpuOf(pid) {
  let ticks = 0;
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const [parent, own, ended] = statOf(name);
    if (Number(name) === pid) ticks += own + ended;
    else if (parent === pid) ticks += own;
  }
  return ticks / TICKS;
}

/** The parent of a process, its ticks and those of its ended children. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return [fields[1], fields[11] + fields[12], fields[13] + fields[14]];
  } catch {
    return []; // it has ended
  }
}

/** Busy CPU seconds of the whole machine, including time stolen by other guests of the host. */
export function busyCpu() {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

/** The most memory that a process has taken, in MB. */
export const peakMemoryOf = (pid) =>
  Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
