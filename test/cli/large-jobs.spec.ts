/**
 * @slow it starts processes
 * @only embedded postgres: it tests the commands; what is written are batches
 */
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'papaparse';
import fc from 'fast-check';
import { person } from '../../src/entry/demo/people';
import { Client, type UserBody } from '../support/client';
import { copyOfTemplate } from '../support/database';
import { describeOn } from '../support/engine';
import { ndjson, people, useJobs, writableFields } from '../support/jobs';
import { run, start, stop, type Ums, ums } from '../support/process';

const { database, directory, path, file, newOrganization, job, exported } = useJobs();

describeOn('postgres', 'ums users import, on a server', () => {
  /** Waits until a running import has committed so many users. */
  async function hasCommitted(command: Ums, organization: string, users: number) {
    while ((await exported(organization)).length < users)
      expect({ ended: command.process.exitCode, stderr: command.stderr() }).toMatchObject({ ended: null });
  }

  it('reads standard input and stops at Ctrl-C while it waits for more', async () => {
    const organization = await newOrganization();
    const args = ['users', 'import', '-', '--organization', organization, '--json'];
    const command = ums(args, database().env, 'pipe');
    command.process.stdin!.write(ndjson(people(0, 1001)));
    await hasCommitted(command, organization, 1000);
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(130);
    expect(JSON.parse(command.stdout())).toMatchObject({ created: 1000, complete: false });
  });

  it('reads CSV from standard input before its end', async () => {
    const organization = await newOrganization();
    const args = ['users', 'import', '-', '--format', 'csv', '--organization', organization, '--json'];
    const command = ums(args, database().env, 'pipe');
    const rows = people(0, 1100).map(({ name, email }) => `"${name}";${email}\n`);
    command.process.stdin!.write(`name;email\n${rows.join('')}`);
    await hasCommitted(command, organization, 1000);
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(130);
  });

  it('creates each user once when several imports of the same users run concurrently', async () => {
    const organization = await newOrganization();
    const rows = people(0, 4000);
    const forward = file('forward', ndjson(rows));
    const backward = file('backward', ndjson([...rows].reverse()));
    const jobs = await Promise.all(
      [forward, backward, forward, backward].map((name, i) =>
        job(
          'users',
          'import',
          name,
          '--organization',
          organization,
          '--refused',
          `${name}.refused.${i}`,
          '--mode',
          i % 2 ? 'upsert' : 'create',
        ),
      ),
    );
    expect(jobs.map(({ summary }) => summary.complete)).toEqual([true, true, true, true]);
    const sum = (key: string) => jobs.reduce((total, { summary }) => total + summary[key], 0);
    expect([sum('created'), sum('unchanged') + sum('refused')]).toEqual([4000, 12_000]);
    expect(writableFields(await exported(organization))).toEqual(writableFields(rows));
  });
});

describe('ums users export', () => {
  const name = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc
        .tuple(fc.constantFrom(...`'=+-@"＝，,;\t\r\n`, "''", "'=", '"\r\n'), fc.string({ maxLength: 5 }))
        .map(([start, rest]) => `a${start}${rest}`.slice(fc.sample(fc.integer({ min: 0, max: 1 }), 1)[0])),
    )
    .filter((text) => text.trim() !== '' && text.isWellFormed() && !text.includes('\0'));

  it('writes CSV and NDJSON that import as the same users, and CSV without formulas', async () => {
    const organization = await newOrganization();
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }),
      fc.constant(null),
    );
    const metadata = fc.dictionary(
      fc.stringMatching(/^[=+@'a-z0-9]{1,8}$/),
      fc.array(value, { maxLength: 2 }),
      { maxKeys: 4 },
    );
    const generated = fc.sample(fc.record({ name, metadata }), 300).map((fields, n) => ({
      ...JSON.parse(JSON.stringify(fields)), // -0 is 0 in JSON
      email: `${["'", '=', '+', '-', ''][n % 5]}u${n}@example.com`,
      role: (['member', 'admin', 'viewer'] as const)[n % 3],
      active: n % 2 === 0,
    }));
    const { summary } = await job(
      'users',
      'import',
      file('generated', ndjson(generated)),
      '--organization',
      organization,
    );
    expect(summary).toMatchObject({ created: generated.length, refused: 0 });
    const original = writableFields(await exported(organization));
    expect(original).toEqual(writableFields(generated.map((user) => ({ ...user, name: user.name.trim() }))));

    for (const output of [path('out.csv'), path('out.tsv'), path('out.ndjson')]) {
      const args = ['users', 'export', '--organization', organization, '--output', output];
      expect((await job(...args)).summary).toMatchObject({ users: generated.length, output });
      const other = await newOrganization();
      expect((await job('users', 'import', output, '--organization', other)).code).toBe(0);
      const copy = await exported(other);
      expect(JSON.stringify(writableFields(copy))).toBe(JSON.stringify(original));
    }
    const parsed = (name: string) =>
      parse<string[]>(readFileSync(path(name), 'utf8'), { skipEmptyLines: true }).data;
    const cells = parsed('out.csv');
    expect(parsed('out.tsv')).toEqual(cells);
    expect(cells.flat().filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell))).toEqual([]);
    expect(cells.flat().filter((cell) => cell.startsWith("'="))).not.toEqual([]);
    expect(readdirSync(directory()).filter((entry) => entry.endsWith('.part'))).toEqual([]);
  });

  it('writes only users with a role or a state', async () => {
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '100');
    const all = await exported(organization);
    const only = async (...options: string[]) => {
      const { stdout } = await run(
        ['users', 'export', '--organization', organization, ...options],
        database().env,
      );
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    };
    const inactive = all.filter(({ active }) => !active);
    expect(inactive).toHaveLength(4);
    expect(await only('--active', 'false')).toEqual(inactive);
    expect(await only('--role', 'viewer', '--active', 'true')).toEqual(
      all.filter(({ role, active }) => role === 'viewer' && active),
    );
  });

  it('writes every user once, over many pages, ordered by id', async () => {
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '2500');
    const users = await exported(organization);
    expect(users).toHaveLength(2500);
    expect(users.map(({ id }) => id)).toEqual([...new Set(users.map(({ id }) => id))].sort());

    const stopped = ums(['users', 'export', '--organization', organization], database().env);
    await once(stopped.process.stdout!, 'data');
    stopped.process.kill('SIGINT');
    expect(await stopped.exit).toBe(130);
    const written = stopped.stdout().split('\n').length - 1;
    expect(written).toBeLessThan(2500);
    expect(stopped.stderr()).toContain(
      `The export is incomplete: ${written.toLocaleString('en-US')} users were written.`,
    );

    const broken = ums(['users', 'export', '--organization', organization], database().env);
    await once(broken.process.stdout!, 'data');
    broken.process.stdout!.destroy(); // like `| head -1`
    expect({ code: await broken.exit, stderr: broken.stderr() }).toEqual({ code: 141, stderr: '' });
  });

  it('fails when the disk is full and leaves no file that looks complete', async () => {
    if (!existsSync('/dev/full'))
      return void process.stderr.write('Skipped: /dev/full does not exist here.\n');
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '10');
    const args = ['users', 'export', '--organization', organization, '--output', '/dev/full'];
    expect(await run(args, database().env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The export is incomplete: \/dev\/full was not created\. ENOSPC: no space left/,
      ),
    });
    const nowhere = [...args.slice(0, -1), path('no/such/directory')];
    expect(await run(nowhere, database().env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENOENT'),
    });

    const bad = file('full.ndjson', ndjson([person(20), {}]));
    const importArgs = ['users', 'import', bad, '--organization', organization, '--refused', '/dev/full'];
    const stopped = await run(importArgs, database().env);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') });
    expect(stopped.stdout).toContain('1 created');
  });

  it.each([
    ['export', '--organization', 'org_x'],
    ['import', 'package.json', '--organization', 'org_x'],
    ['import', 'no/such/file', '--organization', 'org_x'],
    ['import', 'package.json', '--refused', './package.json', '--organization', 'org_x'],
    ['import', 'package.json', '--organization', 'org_x', '--format', 'xml'],
    ['import', 'package.json', '--organization', 'org_x', '--delimiter', 'comma'],
  ])('refuses users %j %j %j and reports why', async (...args) => {
    const { code, stdout, stderr } = await run(['users', ...args], database().env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /ums organizations list|ENOENT|must not name the file|Allowed choices|must be one character/,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('sample users', () => {
  it('are the same in every organization and created once', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    for (const organization of [one, other]) {
      const { summary } = await job('seed', '--organization', organization, '--users', '50');
      expect(summary).toMatchObject({ created: 50 });
    }
    expect(writableFields(await exported(one))).toEqual(writableFields(await exported(other)));
    expect((await job('seed', '--organization', one, '--users', '60')).summary).toMatchObject({
      created: 10,
      unchanged: 50,
    });
  });

  it('stop at Ctrl-C and report how many were created', async () => {
    const organization = await newOrganization();
    const args = ['seed', '--organization', organization, '--users', '5000', '--json'];
    const seeding = ums(args, database().env);
    while (!seeding.stderr().includes('%')) await once(seeding.process.stderr!, 'data');
    seeding.process.kill('SIGINT');
    expect(await seeding.exit).toBe(130);
    const { created, complete } = JSON.parse(seeding.stdout());
    expect({ created, complete }).toEqual({
      created: (await exported(organization)).length,
      complete: false,
    });
  });

  it('are created by a start with --demo only in an empty organization', async () => {
    const empty = await copyOfTemplate();
    const BOOTSTRAP_TOKEN = (await run(['tokens', 'generate'], {})).stdout.trim();
    const demo = async (report: string) => {
      const service = await start({ ...empty.env, BOOTSTRAP_TOKEN }, '--demo');
      expect(service.stdout()).toContain(report);
      const users: UserBody[] = [];
      let next = '/api/v1/users?limit=200';
      const api = new Client(service.url, { value: BOOTSTRAP_TOKEN });
      do {
        const { body } = await api.get(next).expect(200);
        users.push(...body.data);
        next = body.nextCursor && `/api/v1/users?limit=200&cursor=${body.nextCursor}`;
      } while (next);
      await api.delete(`/api/v1/users/${users[0].id}`);
      await stop(service);
      return users.length;
    };
    expect(await demo('Sample users: 500 added\n')).toBe(500);
    expect(await demo('Sample users: none added, because the organization already has users\n')).toBe(499);
    await empty.drop();
  });
});
