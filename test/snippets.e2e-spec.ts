import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startService, type TestService } from './support/service';

let service: TestService;
let directory: string;
beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/declarations.mjs', 'client']); // a build makes none
  service = await startService();
  directory = mkdtempSync('node_modules/.snippets-'); // the packages are found from here
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await service.close();
});

const STRICT = '--ignoreConfig --skipLibCheck --strict --target es2022 --module nodenext --types node'.split(
  ' ',
);
const run = promisify(execFile);

it.each(['README.md', 'client/README.md'])(
  'the program in %s compiles under strict and runs',
  async (page) => {
    const [[, code]] = readFileSync(page, 'utf8').matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g);
    const file = join(directory, page.replaceAll(/\W/g, '-'));
    writeFileSync(`${file}.mts`, code.replace('http://localhost:3000', service.url));
    const { stdout } = await run(process.execPath, [
      'node_modules/typescript/bin/tsc',
      ...STRICT,
      `${file}.mts`,
    ]).catch(({ stdout }) => ({ stdout }));
    expect(stdout).toBe('');

    const api = await service.client();
    await api.createUser({ email: 'grace@example.com' });
    const env = { ...process.env, TOKEN: api.tokenValue };
    expect((await run(process.execPath, [`${file}.mjs`], { env })).stdout).toContain('grace@example.com\n');
  },
);
