// What full runs have passed: .ci/full-run holds for each step the commit on which a full run passed it last, and the
// day. A gate runs a step again when one of its rooms has changed since then, so the file is committed, and nobody can
// leave a room untested for long.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export const FULL_RUN = '.ci/full-run';

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const linesOf = (text) => text.split('\n').filter(Boolean);

/** The commit and the day for each step. */
export function passedSteps() {
  const lines = existsSync(FULL_RUN) ? linesOf(readFileSync(FULL_RUN, 'utf8')) : [];
  return new Map(lines.map((line) => line.split(' ')).map(([step, commit, day]) => [step, { commit, day }]));
}

/** The files that have changed since a commit, the work tree included; undefined if git does not know it. */
export function changedSince(commit) {
  try {
    return [
      ...linesOf(git('diff', '--name-only', '--no-renames', commit)),
      ...linesOf(git('ls-files', '--others', '--exclude-standard')),
    ];
  } catch {
    return undefined;
  }
}

/** Records that these steps have passed on this commit. Returns what to say about it. */
export function recordFullRun(steps) {
  if (linesOf(git('status', '--porcelain')).some((line) => !line.endsWith(FULL_RUN)))
    return `The work tree has changes that are not committed, so ${FULL_RUN} stays as it is.`;
  const passed = passedSteps();
  const now = { commit: git('rev-parse', 'HEAD'), day: new Date().toISOString().slice(0, 10) };
  for (const step of steps) passed.set(step, now);
  const lines = [...passed].map(([step, { commit, day }]) => `${step} ${commit} ${day}\n`).sort();
  writeFileSync(FULL_RUN, lines.join(''));
  return `${FULL_RUN} names this commit for ${steps.join(', ')}. Commit it, and the next gates are short.`;
}
