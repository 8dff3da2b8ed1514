import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a program in .ci makes of the input; its modules are ES modules, which Jest does not load. */
function inGate<Result>(program: string, input: unknown): Result {
  const code = `${program}\nprocess.stdout.write(JSON.stringify(result(${JSON.stringify(input)})));`;
  const options = ['--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
}

const stepsOf = (...files: string[]) =>
  inGate<string[]>(
    `import { stepsOf } from './.ci/rooms.mjs';
     const result = (files) => [...new Set(files.flatMap(stepsOf))].sort();`,
    files,
  );

const EVERYTHING = ['browser', 'cluster', 'faults', 'package', 'processes', 'routes', 'tracing'];

const { status, stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
});
const files = (stdout ?? '').split('\n').filter(Boolean);
if (status !== 0) process.stderr.write('This is no clone: whether each file has a row is not tested.\n');
const itInAClone = status === 0 ? it : it.skip;

describe('.ci/rooms.mjs', () => {
  itInAClone('has a row for every file of the repository', () => {
    const strangers = inGate<string[]>(
      `import { strangersAmong } from './.ci/rooms.mjs'; const result = strangersAmong;`,
      files,
    );
    expect(strangers).toEqual([]);
  });

  itInAClone('has no row for a path that is gone', () => {
    const paths = inGate<string[]>(
      `import { ROOMS } from './.ci/rooms.mjs'; const result = () => ROOMS.flatMap(([paths]) => paths);`,
      undefined,
    );
    expect(paths.filter((path) => !files.some((file) => file.startsWith(path)))).toEqual([]);
  });

  it('runs the steps of the rooms that have changed', () => {
    expect(stepsOf('docs/search.md', 'src/platform/crypto/key-ring.ts')).toEqual([]);
    expect(stepsOf('dashboard/frame/menu.tsx')).toEqual(['browser']);
    expect(stepsOf('src/tokens/tokens.service.ts')).toEqual(['cluster', 'processes', 'routes']);
    expect(stepsOf('src/scim/new.ts', 'docs/tracing.md')).toEqual(['routes', 'tracing']);
  });

  it('runs the step that has a changed suite', () => {
    expect(stepsOf('test/users/users.spec.ts', 'test/users/is-gone.spec.ts', '.ci/full-run')).toEqual([]);
    expect(stepsOf('test/process/replicas.spec.ts')).toEqual(['processes']);
    expect(stepsOf('test/docs/api-reference.spec.ts')).toEqual(['browser']);
  });

  it('runs everything for what concerns every room, or nobody knows', () => {
    for (const file of [
      'src/new-room/new.ts',
      'new.config.mjs',
      '.ci/run',
      'package-lock.json',
      'test/support/service.ts',
    ])
      expect([file, stepsOf(file)]).toEqual([file, EVERYTHING]);
  });
});

describe('the steps of the gate', () => {
  const steps = inGate<{ name: string; always?: true; commands: string[] }[]>(
    `import { STEPS } from './.ci/steps.mjs'; const result = () => STEPS;`,
    undefined,
  );
  const commands = steps.flatMap((step) => step.commands).join('\n');

  it('are scripts of package.json', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = [...commands.matchAll(/^npm (?:run --silent )?([\w:]+)/gm)].map(([, name]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('name every test file in test/faults and test/citus', () => {
    const files = ['test/faults', 'test/citus'].flatMap((folder) => readdirSync(folder));
    const named = commands.match(/[\w-]+/g)!;
    const tests = files.filter((file) => file.endsWith('.test.mjs'));
    expect(tests.filter((file) => !named.includes(file.replace('.test.mjs', '')))).toEqual([]);
  });

  it('end with what a clock judges', () => {
    expect(steps.at(-1)).toMatchObject({ name: 'timed', always: true });
  });
});

it('reads from the output of the test runners what ran, and what they left out', () => {
  const output = `Left out auth/access, tokens/tokens: it uses no database.
Skipped 3 tests: the dashboard, which needs Chromium on the PATH or in CHROMIUM_PATH.
Tests: 4501 passed, 1 failed, 3 skipped
Test Suites: 1 failed, 132 passed, 133 total
Test files: 4
✔ the process lives (12.3ms)
﹣ a token is warned of (0.4ms) # it takes minutes: in the full form only
ℹ tests 9
ℹ pass 8
ℹ fail 0
ℹ skipped 1
nest-cjs: install: passed in 12.3 s
promtool is not installed; the tests of the alerts are skipped.
`;
  const read = inGate(
    `import { countsIn, leftOutIn } from './.ci/run-step.mjs';
     const result = (text) => ({ ...countsIn(text), leftOut: leftOutIn(text) });`,
    output,
  );
  expect(read).toEqual({
    suites: 137,
    passed: 4510,
    failed: 1,
    skipped: 4,
    leftOut: [
      '2 suites: it uses no database',
      '3 tests: the dashboard, which needs Chromium on the PATH or in CHROMIUM_PATH',
      'a token is warned of: it takes minutes: in the full form only',
      'promtool is not installed; the tests of the alerts are skipped.',
    ],
  });
});
