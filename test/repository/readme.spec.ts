/**
 * @only embedded: it runs the commands of a first start
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Client } from '../support/client';
import { startService, type TestService } from '../support/service';

const readme = readFileSync('README.md', 'utf8');

const reference = readFileSync('docs/api.md', 'utf8');

/** Every command in the README, and in the reference that continues it, that is followed by its response. */
const examples = [...(readme + reference).matchAll(/```sh\n([^`]*)```\s*```json\n([^`]*)```/g)].map(
  ([, command, response]) => ({
    command: command.trim(),
    response: JSON.parse(response),
  }),
);

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl)
  process.stderr.write('curl is not installed: the commands in the README and docs/api.md are not run.\n');

(hasCurl ? describe : describe.skip)('the README and docs/api.md', () => {
  let service: TestService;
  let api: Client;
  beforeAll(async () => {
    service = await startService({ WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
    api = await service.client();
  });
  afterAll(() => service.close());

  /** The variables that earlier examples have set for later ones, as in the reader's shell. */
  let variables: Record<string, string> = {};

  it('has at least ten examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
  });

  it.each(examples)('$command', async ({ command, response }) => {
    const actualCommand = command.replaceAll('http://localhost:3000', service.url);
    expect(actualCommand).not.toMatch(/(usr|tok|whk)_/); // it must work when it is pasted

    const keep = 'printf "ID=%s TOKEN_ID=%s" "$ID" "$TOKEN_ID" >&3';
    const shell = spawn('sh', ['-euc', `${actualCommand}\n${keep}`], {
      env: { ...process.env, ID: '', TOKEN_ID: '', ...variables, TOKEN: api.tokenValue },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    // An example that keeps an ID prints its response to standard error.
    const [stdout, stderr, kept] = await Promise.all(
      shell.stdio.slice(1).map((stream) => text(stream as Readable)),
    );
    variables = Object.fromEntries(kept.split(' ').map((pair) => pair.split('=')));

    expect(withExampleValues(JSON.parse(stdout || stderr), response)).toEqual(response);
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
      /^(usr|tok|evt|whk)_\w{26}$/,
      /^umt_\w{38}$/,
      /^umt_.{4}….{4}$/,
      /^whsec_.{44}$/,
      /^\d{4}-.*T.*Z$/,
      /^[0-9a-f-]{36}$/,
      /^[\w-]{40,}$/,
    ];
    return patterns.some((pattern) => pattern.test(actual) && pattern.test(example)) ? example : actual;
  }
});

it('lists exactly the environment variables that the service reads', () => {
  const declarations = [
    'src/entry/process/config.ts',
    'src/service.options.ts',
    'src/oauth/token-issuers.ts',
    'src/sign-in/oidc/sign-in-settings.ts',
    'src/webhooks/webhooks.options.ts',
  ].map((path) => readFileSync(path, 'utf8'));
  const read = [...declarations.join().matchAll(/@(?:Variable|\w*Setting)\(\s*'([A-Z_]+)'/g)].map(
    ([, name]) => name,
  );
  const section = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Command line'));
  const listed = [...section.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell]) => cell.match(/[A-Z]+(?:_[A-Z]+)*/g) ?? [],
  );
  expect(new Set(listed)).toEqual(new Set(read));
});
