import { spawnSync } from 'node:child_process';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Client } from './support/client';
import { startService, type TestService } from './support/service';

const readme = readFileSync('README.md', 'utf8');

/** Every command in the README that is followed by its response. */
const examples = [...readme.matchAll(/```sh\n(curl[^`]*)```\s*```json\n([^`]*)```/g)].map(
  ([, command, response]) => ({
    command: command.trim(),
    response: JSON.parse(response),
  }),
);

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) process.stderr.write('curl is not installed: the commands in the README are not run.\n');

(hasCurl ? describe : describe.skip)('the README', () => {
  let service: TestService;
  let api: Client;
  beforeAll(async () => {
    service = await startService();
    api = await service.client();
  });
  afterAll(() => service.close());

  /** Maps the IDs and values in the README to the actual ones. */
  const actualValues = new Map<string, string>();

  it('has at least ten examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
  });

  it.each(examples)('$command', async ({ command, response }) => {
    let actualCommand = command.replaceAll('http://localhost:3000', service.url);
    for (const [id, actual] of actualValues) actualCommand = actualCommand.replaceAll(id, actual);

    const { stdout } = await promisify(execFile)('sh', ['-c', actualCommand], {
      env: { ...process.env, TOKEN: api.tokenValue },
    });

    expect(withExampleValues(JSON.parse(stdout), response)).toEqual(response);
  });

  /** Replaces the values that differ every time, such as IDs and dates, with those of the example. */
  function withExampleValues(actual: unknown, example: unknown): unknown {
    if (typeof actual === 'object' && actual !== null && typeof example === 'object' && example !== null) {
      const expected = example as Record<string, unknown>;
      if (Array.isArray(actual)) return actual.map((value, i) => withExampleValues(value, expected[i]));
      return Object.fromEntries(
        Object.entries(actual).map(([key, value]) => [key, withExampleValues(value, expected[key])]),
      );
    }
    if (typeof actual !== 'string' || typeof example !== 'string') return actual;
    const patterns = [
      /^(usr|tok)_\w{26}$/,
      /^umt_\w{38}$/,
      /^umt_.{4}….{4}$/,
      /^\d{4}-.*T.*Z$/,
      /^[0-9a-f-]{36}$/,
      /^[\w-]{40,}$/,
    ];
    const isSameKind = patterns.some((pattern) => pattern.test(actual) && pattern.test(example));
    if (isSameKind) actualValues.set(example, actual);
    return isSameKind ? example : actual;
  }
});

it('lists exactly the environment variables that the service reads', () => {
  const read = [...readFileSync('src/process/config.ts', 'utf8').matchAll(/\bread\(\s*'([A-Z_]+)'/g)].map(
    ([, name]) => name,
  );
  const section = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Command line'));
  const listed = [...section.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell]) => cell.match(/[A-Z]+(?:_[A-Z]+)*/g) ?? [],
  );
  expect(new Set(listed)).toEqual(new Set(read));
});
