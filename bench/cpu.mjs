// CPU seconds and memory as Linux accounts for them.
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
    return undefined; // it has ended meanwhile
  }
};

/** Of a process and its children, those that have ended too. */
export function cpuOf(pid) {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = statOf(name);
    if (Number(name) === pid) ticks += stat.own + stat.ended;
    else if (stat?.parent === pid) ticks += stat.own;
  }
  return ticks / TICKS;
}

/** Of the whole machine; what others on the same host took from it as well. */
export function busyCpu() {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

/** Resident memory of a process, in MB. */
export const residentOf = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
