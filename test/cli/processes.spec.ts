/**
 * @slow it starts processes
 * @only embedded postgres: a process runs a command the same way on a cluster
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createClient } from '../../client/index';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { copyOfTemplate } from '../support/database';
import { describeOn } from '../support/engine';
import { ndjson, people, useJobs, writableFields } from '../support/jobs';
import { runProcess, start, stop, ums } from '../support/process';

const { database, directory, file, newOrganization, job, importFile, refusedIn, exported } = useJobs();

const matching = (text: string | RegExp) => (text instanceof RegExp ? expect.stringMatching(text) : text);

describe('the process of a command', () => {
  // What they do is tested without processes. Here, each is loaded from the build, and ends.
  it('ends with its code, and what it has to say', async () => {
    const rows: [string, number, string | RegExp, string | RegExp][] = [
      ['--version', 0, /^\d+\.\d+\.\d+\n$/, ''],
      ['', 1, '', /^Usage: ums /],
      ['frobnicate', 1, '', "error: unknown command 'frobnicate'\n"],
      ['help tokens', 0, /^Usage: ums tokens /, ''],
      ['migrate --status', 0, 'The schema is up to date.\n', ''],
      ['distribute', 1, '', /^The (embedded database cannot be distributed|database has no Citus)/],
      ['organizations list', 0, /^id .* name .*\norg_\w{26} /, ''],
      ['tokens generate', 0, /^umt_\w{38}\n$/, ''],
      ['tokens generate --json', 0, /^\{"token":"umt_\w{38}"\}\n$/, ''],
      ['tokens list ORG', 0, 'none\n', ''],
      ['groups list ORG --json', 0, '[]\n', ''],
      ['webhooks list ORG', 0, 'none\n', ''],
      ['events tail --organization org_x', 1, '', /^There is no such organization\./],
      [
        'seed ORG --users 1',
        0,
        /^1 row in [\d.]+ s: 1 created, /,
        /^100 %, 1 row, \d+ rows?\/s, ETA 0:00\n$/,
      ],
      ['users export ORG --format csv', 0, /^id,externalId,name,email,[^]*\nusr_/, '1 user.\n'],
      ['users import FILE ORG', 1, /^1 row in .*, 1 refused\.\n$/, /^100 %, .*\nRefused:\n {2}line 1: /],
    ];
    const organization = await newOrganization();
    for (const [command, code, stdout, stderr] of rows) {
      const args = command
        .replace('ORG', `--organization ${organization}`)
        .replace('FILE', file('one.ndjson', '{}\n'))
        .split(' ')
        .filter(Boolean);
      const ended = await runProcess(args, database().env);
      const expected = { command, code, stdout: matching(stdout), stderr: matching(stderr) };
      expect({ command, ...ended }).toEqual(expected);
    }
  });
});

describe('ums users import', () => {
  it('keeps refused rows of a pipe in the working directory', async () => {
    const command = `"$0" "$1" users import <(echo 7) --organization "$2" --json`;
    const args = ['-c', command, process.execPath, resolve('dist/src/cli.js'), await newOrganization()];
    const { stdout } = spawnSync('bash', args, {
      cwd: directory(),
      env: { PATH: process.env.PATH, ...database().env },
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ refused: 1, refusedFile: 'refused.ndjson' });
    expect(refusedIn('refused.ndjson')).toMatch(/\n7\n$/);
  });

  it('imports the file of the README by the command that follows it', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const [, staff, command] = /```csv\n([^`]*)```[^]*?```sh\nnpx ums (users import [^`]*)```/.exec(readme)!;
    file('staff.csv', staff);
    const organization = await newOrganization();
    const args = ['-c', `"$0" "$1" ${command.trim()} --organization "$2" --json`];
    const { stdout } = spawnSync(
      'sh',
      [...args, process.execPath, resolve('dist/src/cli.js'), organization],
      {
        cwd: directory(),
        env: { PATH: process.env.PATH, ...database().env },
        encoding: 'utf8',
      },
    );
    expect(JSON.parse(stdout)).toMatchObject({ created: 2, refused: 0 });
    const users = (await exported(organization)).map(({ externalId, name, metadata }) => [
      externalId,
      name,
      metadata,
    ]);
    expect(users).toEqual(
      expect.arrayContaining([
        ['0815', 'Zoë Kowalski', { department: 'Sales; North', startDate: '2024-03-01' }],
        ['0816', 'Jörg Groß', { department: 'Purchasing' }],
      ]),
    );
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'keeps committed batches after a %s and resumes with --mode upsert',
    async (signal) => {
      const organization = await newOrganization();
      const rows = people(0, 5000);
      const many = file('many.ndjson', ndjson(rows));
      const args = ['users', 'import', many, '--organization', organization, '--json'];
      const first = ums(args, database().env);
      while (!first.stderr().includes('%')) await once(first.process.stderr!, 'data');
      first.process.kill(signal);
      const code = await first.exit;

      const committed = (await exported(organization)).length;
      expect(committed).toBeGreaterThanOrEqual(500);
      expect(committed).toBeLessThan(rows.length);
      if (signal !== 'SIGKILL') {
        expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
        expect(JSON.parse(first.stdout())).toMatchObject({
          created: committed,
          rows: committed,
          complete: false,
        });
        expect(first.stderr()).toContain(
          `Stopped by ${signal}.\nThe rows imported so far are committed. To resume, run the command again with --mode upsert.`,
        );
      }

      expect(await importFile(many, organization, '--mode', 'upsert')).toMatchObject({
        code: 0,
        summary: { created: rows.length - committed, unchanged: committed, refused: 0, complete: true },
      });
      expect(writableFields(await exported(organization))).toEqual(writableFields(rows));
    },
  );
});

describeOn('postgres', 'ums users import, from standard input', () => {
  const users = people(0, 1100).map(({ name, email }) => ({ name, email }));
  it('reads before its end, and stops at Ctrl-C while it waits for more', async () => {
    for (const [options, text] of [
      [[], ndjson(users)],
      [['--format', 'csv'], `name;email\n${users.map(({ name, email }) => `"${name}";${email}\n`).join('')}`],
    ] as const) {
      const organization = await newOrganization();
      const args = ['users', 'import', '-', '--organization', organization, '--json', ...options];
      const command = ums(args, database().env, 'pipe');
      command.process.stdin!.write(text);
      while ((await exported(organization)).length < 1000)
        expect({ ended: command.process.exitCode, stderr: command.stderr() }).toMatchObject({ ended: null });
      command.process.kill('SIGINT');
      expect(await command.exit).toBe(130);
      expect(JSON.parse(command.stdout())).toMatchObject({ created: 1000, complete: false });
    }
  });
});

it('ums users export ends at Ctrl-C and when nobody reads on', async () => {
  const organization = await newOrganization();
  await job('seed', '--organization', organization, '--users', '2500');
  const args = ['users', 'export', '--organization', organization];
  const stopped = ums(args, database().env);
  await once(stopped.process.stdout!, 'data');
  stopped.process.kill('SIGINT');
  expect(await stopped.exit).toBe(130);
  const written = stopped.stdout().split('\n').length - 1;
  expect(written).toBeLessThan(2500);
  expect(stopped.stderr()).toContain(
    `The export is incomplete: ${written.toLocaleString('en-US')} users were written.`,
  );

  const broken = ums(args, database().env);
  await once(broken.process.stdout!, 'data');
  broken.process.stdout!.destroy(); // like `| head -1`
  expect({ code: await broken.exit, stderr: broken.stderr() }).toEqual({ code: 141, stderr: '' });
});

describe('sample users', () => {
  it('are created by a start with --demo only in an empty organization', async () => {
    const empty = await copyOfTemplate();
    const BOOTSTRAP_TOKEN = newTokenValue();
    const demo = async (report: string) => {
      const service = await start({ ...empty.env, BOOTSTRAP_TOKEN }, '--demo');
      expect(service.stdout()).toContain(report);
      const { users } = createClient({ baseUrl: service.url, token: BOOTSTRAP_TOKEN });
      const ids: string[] = [];
      for await (const { id } of users.list({ limit: 200 })) ids.push(id);
      await users.delete(ids[0]);
      await stop(service);
      return ids.length;
    };
    expect(await demo('Sample users: 500 added\n')).toBe(500);
    expect(await demo('Sample users: none added, because the organization already has users\n')).toBe(499);
    await empty.drop();
  });
});
