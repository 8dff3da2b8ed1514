// Runs the commands of a step, shows what they print, and counts what they ran.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

let running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    endGroups();
    process.exit(1);
  });

/** Ends what the commands have started and left behind, so that nothing runs beside the next step. */
function endGroups() {
  for (const pid of running)
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // nothing is left of it
    }
  running = new Set();
}

/** Returns whether the step has passed, what it ran, and what it cost. */
export async function runStep({ commands, beside }) {
  const from = { wallMs: performance.now(), cpu: cpuSeconds() };
  const outcomes = [];
  if (beside) outcomes.push(...(await Promise.all(commands.map((command) => run(command, true)))));
  else
    for (const command of commands) {
      outcomes.push(await run(command, false));
      if (outcomes.at(-1).code !== 0) break;
    }
  endGroups();
  const text = outcomes.map(({ output }) => output).join('\n');
  return {
    hasPassed: outcomes.every(({ code }) => code === 0),
    ...countsIn(text),
    leftOut: leftOutIn(text),
    cpuSeconds: cpuSeconds() - from.cpu,
    wallSeconds: (performance.now() - from.wallMs) / 1_000,
  };
}

/** Shows the output at once, or, where commands run side by side, when the command has ended. */
function run(command, isBeside) {
  return new Promise((done) => {
    let output = '';
    const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child.pid);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        if (!isBeside) process.stdout.write(chunk);
      });
    child.on('exit', (code) => {
      if (isBeside) process.stdout.write(output);
      done({ code, output });
    });
  });
}

const sumOf = (text, pattern) =>
  [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);

/** As Jest's reporter of the project, the test runner of Node.js, and the scripts print them. */
export const countsIn = (text) => ({
  suites: sumOf(text, /^Test (?:Suites|files): (?:.* )?(\d+)(?: total|$)/gm),
  passed:
    sumOf(text, /^Tests: (\d+) passed, /gm) +
    sumOf(text, /^ℹ pass (\d+)$/gm) +
    [...text.matchAll(/: passed in [\d.]+ s$/gm)].length,
  failed: sumOf(text, /^Tests: \d+ passed, (\d+) failed, /gm) + sumOf(text, /^ℹ fail (\d+)$/gm),
  skipped: sumOf(text, /^Tests: .*, (\d+) skipped$/gm) + sumOf(text, /^ℹ skipped (\d+)$/gm),
});

/** What the commands say that they left out, in a few words each. */
export function leftOutIn(text) {
  const suites = [...text.matchAll(/^Left out (.+?): (.+)\.$/gm)].map(
    ([, names, reason]) => `${names.split(', ').length} suites: ${reason}`,
  );
  const tests = [...text.matchAll(/^Skipped (\d+ tests: .+)\.$/gm)].map(([, words]) => words);
  const skipped = [...text.matchAll(/^\s*﹣ (.+) \([\d.]+ms\) # (.+)$/gm)].map(
    ([, title, reason]) => `${title}: ${reason}`,
  );
  const missing =
    text.match(/^(?:Not installed: .*|\w+ is not installed.*|The tests .* are skipped: .*)$/gm) ?? [];
  return [...suites, ...tests, ...skipped, ...missing];
}

/** The CPU of the ended child processes and of theirs; 0 where the system does not tell. */
function cpuSeconds() {
  try {
    const [, fields] = /\) (.*)$/s.exec(readFileSync('/proc/self/stat', 'utf8'));
    const [user, system] = fields.split(' ').slice(13, 15);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return 0;
  }
}
