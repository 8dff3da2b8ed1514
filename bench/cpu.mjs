// CPU seconds, from Linux's own accounting.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS = 100;

const statOf = (pid) => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      own: Number(fields[11]) + Number(fields[12]),
      ended: Number(fields[13]) + Number(fields[14]),
    };
  } catch {
    return undefined; // the process has ended
  }
};

/** CPU seconds of a process and its children, including ended ones. */
export function cpuOf(pid) {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(name);
    if (!stat) continue;
    if (Number(name) === pid) ticks += stat.own + stat.ended;
    else if (stat.parent === pid) ticks += stat.own;
  }
  return ticks / TICKS;
}

/** Busy CPU seconds of the whole machine, including time stolen by other guests of the host. */
export function busyCpu() {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}
