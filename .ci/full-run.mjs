// The last full run: .ci/full-run holds the commit that it ran on, and the day. A gate runs the steps of what has
// changed since then, so the file is committed, and nobody can leave a room untested for long.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export const FULL_RUN = '.ci/full-run';

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const linesOf = (text) => text.split('\n').filter(Boolean);

/** The files that have changed since the last full run, or why they are not known. */
export function changesSinceFullRun() {
  if (!existsSync(FULL_RUN)) return { why: `there is no ${FULL_RUN}` };
  const [commit, day] = readFileSync(FULL_RUN, 'utf8').trim().split(' ');
  try {
    const paths = [
      ...linesOf(git('diff', '--name-only', '--no-renames', commit)), // the work tree included
      ...linesOf(git('ls-files', '--others', '--exclude-standard')),
    ];
    return { since: `${commit.slice(0, 10)} of ${day}`, paths };
  } catch (error) {
    return { why: `git does not tell what has changed since ${commit} (${error.message.split('\n')[0]})` };
  }
}

/** Records that everything has passed on this commit. Returns what to say about it. */
export function recordFullRun() {
  if (git('status', '--porcelain') !== '')
    return `The work tree has changes that are not committed, so ${FULL_RUN} stays as it is.`;
  writeFileSync(FULL_RUN, `${git('rev-parse', 'HEAD')} ${new Date().toISOString().slice(0, 10)}\n`);
  return `${FULL_RUN} names this commit now: commit that file.`;
}
