import { spawnSync } from 'node:child_process';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Client } from './support/client';
import { startService, type TestService } from './support/service';

const readme = readFileSync('README.md', 'utf8');

/** Every command of the README that is followed by its answer. */
const examples = [...readme.matchAll(/```sh\n(curl[^`]*)```\s*```json\n([^`]*)```/g)].map(
  ([, command, answer]) => ({
    command: command.trim(),
    answer: JSON.parse(answer),
  }),
);

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) process.stderr.write('There is no curl here: the commands of the README are not run.\n');

(hasCurl ? describe : describe.skip)('the README', () => {
  let service: TestService;
  let api: Client;
  beforeAll(async () => {
    service = await startService();
    api = await service.client();
  });
  afterAll(() => service.close());

  /** The ids and values in the README, and what they are here. */
  const real = new Map<string, string>();

  it('has an example of every call', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
  });

  it.each(examples)('$command', async ({ command, answer }) => {
    let here = command.replaceAll('http://localhost:3000', service.url);
    for (const [id, actual] of real) here = here.replaceAll(id, actual);

    const { stdout } = await promisify(execFile)('sh', ['-c', here], {
      env: { ...process.env, TOKEN: api.tokenValue },
    });

    expect(shape(JSON.parse(stdout), answer)).toEqual(answer);
  });

  /** The actual answer with what differs every time as in the example. */
  function shape(actual: unknown, example: unknown): unknown {
    if (typeof actual === 'object' && actual !== null && typeof example === 'object' && example !== null) {
      const expected = example as Record<string, unknown>;
      if (Array.isArray(actual)) return actual.map((value, i) => shape(value, expected[i]));
      return Object.fromEntries(
        Object.entries(actual).map(([key, value]) => [key, shape(value, expected[key])]),
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
    const alike = patterns.some((pattern) => pattern.test(actual) && pattern.test(example));
    if (alike) real.set(example, actual);
    return alike ? example : actual;
  }
});

it('names every environment variable that the service reads, and no other', () => {
  const read = [...readFileSync('src/process/config.ts', 'utf8').matchAll(/\bread\(\s*'([A-Z_]+)'/g)].map(
    ([, name]) => name,
  );
  const section = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Command line'));
  const named = [...section.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell]) => cell.match(/[A-Z]+(?:_[A-Z]+)*/g) ?? [],
  );
  expect(new Set(named)).toEqual(new Set(read));
});
