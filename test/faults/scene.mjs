// What a file of cases needs: a temporary directory, figures, and an end at which nothing is left over.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The form for the gate: the same cases, with smaller numbers. */
export const SHORT = process.env.FAULTS === 'short';

const endings = [];

/** Runs at the end of the process, however that comes; latest first. */
export const atExit = (run) => void endings.unshift(run);

process.on('exit', () => endings.forEach((run) => run()));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

export function newDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'ums-faults-'));
  atExit(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Prints the figures of a case. */
export function report(t, figures) {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${inBrief(value)}`);
  t.diagnostic(`${t.name}: ${text.join(', ')}`);
}

const inBrief = (value) =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, count]) => `${key}×${count}`)
        .join(' ') || 'none'
    : String(value);
