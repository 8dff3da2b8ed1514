/**
 * @only embedded: other suites send its requests
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService, type TestService } from '../support/service';
import { createWebhook, deliveriesOf, WEBHOOK_ENV } from '../support/webhooks';
import { until } from '../support/until';

let service: TestService;
let directory: string;
beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/declarations.mjs', 'client']); // a build makes none
  service = await startService(WEBHOOK_ENV, { background: true });
  directory = mkdtempSync('node_modules/.snippets-'); // the packages are found from here
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await service.close();
});

const STRICT =
  '--ignoreConfig --skipLibCheck --strict --target es2022 --module nodenext --types node --experimentalDecorators'.split(
    ' ',
  );
const run = promisify(execFile);

const programsIn = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)].map(([, code]) => code);

/** Compiles a program, and returns the file that runs. */
async function compiled(name: string, code: string): Promise<string> {
  const file = join(directory, name.replaceAll(/\W/g, '-'));
  writeFileSync(`${file}.mts`, code);
  const { stdout } = await run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    ...STRICT,
    `${file}.mts`,
  ]).catch(({ stdout }) => ({ stdout }));
  expect(stdout).toBe('');
  return `${file}.mjs`;
}

it.each(['README.md', 'client/README.md'])(
  'the program in %s compiles under strict and runs',
  async (page) => {
    const [code] = programsIn(page);
    const program = await compiled(page, code.replace('http://localhost:3000', service.url));
    const api = await service.client();
    await api.createUser({ email: 'grace@example.com' });
    const env = { ...process.env, TOKEN: api.tokenValue };
    expect((await run(process.execPath, [program], { env })).stdout).toContain('grace@example.com\n');
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const [express, nest, ...others] = programsIn('docs/webhooks.md');

it.each([
  ['Express', express],
  ['Nest', nest],
])('the receiver for %s in docs/webhooks.md takes what is signed, and nothing else', async (name, code) => {
  expect(others).toEqual([]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhooks/users`;
  const program = await compiled(`receiver for ${name}`, code.replace('8080', String(port)));
  const api = await service.client();
  const { id, secret } = await createWebhook(api, { url });
  const receiver = spawn(process.execPath, [program], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  receiver.stdout.setEncoding('utf8').on('data', (chunk) => (printed += chunk));
  try {
    const headers = { 'Content-Type': 'application/json' };
    const post = () => fetch(url, { method: 'POST', headers, body: '{}' });
    const answer = await until(() => post().catch(() => undefined), 100);
    expect(answer.status).toBe(401);
    await api.createUser({ name: 'Ünal 🎉' });
    const [delivery] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    expect(delivery).toMatchObject({ state: 'delivered', lastStatus: 204 });
    expect(printed).toContain(`user.created ${delivery.eventId}\n`);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
});
