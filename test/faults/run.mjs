// What every file of a run has: its form, its directories, how it ends, and the figures that it prints.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The short form, which CI runs: the same cases with smaller numbers. */
export const SHORT = process.env.FAULTS === 'short';

const endings = [];

/** Registers cleanup for the end of the process, however it ends; the latest runs first. */
export const atExit = (run) => void endings.unshift(run);

process.on('exit', () => endings.forEach((run) => run()));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

export function newDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'ums-faults-'));
  atExit(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Prints the figures of a test. */
export function report(t, figures) {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${inBrief(value)}`);
  t.diagnostic(`${t.name}: ${text.join(', ')}`);
}

/** Counts in few words. */
export const inBrief = (value) =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, count]) => `${key}×${count}`)
        .join(' ') || 'none'
    : String(value);
