/**
 * @slow it starts processes
 * @only embedded postgres: it tests the commands; what is written are batches
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'papaparse';
import fc from 'fast-check';
import { person } from '../../src/demo/people';
import type { Fault } from '../../src/http/fault';
import { Client, type UserBody } from '../support/client';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { run, start, stop, type Ums, ums } from '../support/process';

let database: TestDatabase;
let directory: string;
beforeAll(async () => {
  database = await copyOfTemplate();
  directory = mkdtempSync(join(tmpdir(), 'ums-jobs-'));
});
afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

const path = (name: string) => join(directory, name);

const file = (name: string, content: string | Buffer) => {
  writeFileSync(path(name), content);
  return path(name);
};

const ndjson = (rows: unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

const people = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => person(from + n));

const newOrganization = async (): Promise<string> =>
  JSON.parse((await run(['organizations', 'create', 'Test', '--json'], database.env)).stdout).id;

/** Runs a command with `--json` and parses the summary that it prints. */
const job = async (...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json'], database.env);
  return { code, stderr, summary: stdout ? JSON.parse(stdout) : undefined };
};

const refusedIn = (name: string) => readFileSync(path(name), 'utf8');

/** The reasons in a file of refused rows, and the lines of the rows. */
const reasonsIn = (name: string) =>
  [...refusedIn(name).matchAll(/"refused_because":("line .*")\}$/gm)].map(([, reason]) => {
    const [, line, faults] = /^line (\d+): (.*)$/.exec(JSON.parse(reason))!;
    return { line: Number(line), faults };
  });

const exported = async (organization: string): Promise<UserBody[]> => {
  const { stdout } = await run(['users', 'export', '--organization', organization], database.env);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

/** The users as callers create them, without the fields that the service sets, sorted by email. */
const writableFields = (users: Partial<UserBody>[]) =>
  users
    .map(({ name, email, role, active = true, metadata }) => ({ name, email, role, active, metadata }))
    .sort((a, b) => (a.email! < b.email! ? -1 : 1));

/** Runs the service on the database while `use` runs. */
async function withService(organization: string, use: (api: Client) => Promise<void>): Promise<void> {
  const options = ['--name', 'Test', '--scopes', 'admin', '--json'];
  const token = await run(['tokens', 'create', '--organization', organization, ...options], database.env);
  const service = await start({ ...database.env, LOG_LEVEL: 'fatal' });
  await use(new Client(service.url, { value: JSON.parse(token.stdout).token })).finally(() => stop(service));
}

describe('every command', () => {
  it('has help with an example and accepts --json', async () => {
    const leaves: string[] = [];
    const look = async (command: string[]): Promise<void> => {
      const { code, stdout } = await run([...command, '--help'], {});
      expect({ command, code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/\nExamples?:\n {2}\S/),
      });
      const names = [...(/\nCommands:\n([^]*?)\n\n/.exec(stdout)?.[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(
        ([, name]) => name,
      );
      if (names.length === 0) {
        leaves.push(command.join(' '));
        expect(stdout).toContain('--json');
      }
      await Promise.all(names.filter((name) => name !== 'help').map((name) => look([...command, name])));
    };
    await look([]);
    expect(leaves.sort()).toEqual([
      'distribute',
      'events tail',
      'groups list',
      'migrate',
      'organizations create',
      'organizations delete',
      'organizations list',
      'organizations rename',
      'seed',
      'start',
      'tokens create',
      'tokens generate',
      'tokens list',
      'tokens revoke',
      'tokens rotate',
      'users export',
      'users import',
      'users purge',
      'users restore',
      'webhooks list',
      'webhooks rewrap',
    ]);
  });
});

describe('ums users import', () => {
  it('creates users that a search finds at once, even with typos', async () => {
    const organization = await newOrganization();
    const rows = [
      { name: ' Grace Hopper ', email: 'grace@example.com' },
      {
        id: 'usr_x',
        name: 'Ada',
        email: 'ada@example.com',
        role: 'admin',
        metadata: { team: 'engines' },
        createdAt: '2020',
        updatedAt: 1,
      },
    ];
    const { code, summary } = await job(
      'users',
      'import',
      file('two', ndjson(rows)),
      '--organization',
      organization,
    );
    expect(code).toBe(0);
    expect(summary).toMatchObject({ rows: 2, created: 2, refused: 0, refusedFile: null, complete: true });

    await withService(organization, async (api) => {
      const found = async (q: string) =>
        (await api.get(`/api/v1/users/search?q=${q}`).expect(200)).body.data.map(
          ({ name }: UserBody) => name,
        );
      expect(await found('Hopper')).toEqual(['Grace Hopper']);
      expect(await found('hoppre')).toEqual(['Grace Hopper']);
      expect(await found('gine')).toEqual(['Ada']);
      const [grace] = (await api.get('/api/v1/users?email=grace@example.com').expect(200)).body.data;
      expect(grace).toMatchObject({ role: 'member', metadata: {} });
      expect(grace.id).toMatch(/^usr_\w{26}$/);
    });
  });

  it('refuses the same rows as the API, for the same reasons', async () => {
    const organization = await newOrganization();
    const bad = [
      {},
      { name: 'Ada', email: 'nobody', role: 'root' },
      { name: '   ', email: 'a@example.com' },
      { name: null, email: 'a@example.com' },
      { name: 'Ada', email: 'a@example.com', nickname: 'A' },
      { name: 'x'.repeat(201), email: 'a@example.com' },
      { name: 'A\0da', email: 'a@example.com' },
      { name: 'Ada', email: 'a@example.com', metadata: [] },
      { name: 'Ada', email: 'a@example.com', metadata: { a: [[[[[[[[1]]]]]]]] } },
      { name: 'Ada', email: 'a@example.com', metadata: { big: 'x'.repeat(17_000) } },
      { name: 'Ada', email: 'a@example.com', metadata: JSON.parse('{"__proto__":1,"n":9007199254740993}') },
      {
        name: 'Ada',
        email: 'a@example.com',
        metadata: Object.fromEntries(people(0, 17).map((_, n) => [n, n])),
      },
      ['Ada', 'a@example.com'],
      7,
    ];
    const good = { name: 'Ada', email: 'ada@example.com' };
    const broken = ['{"name": "Ada"', JSON.stringify({ ...good, name: 'x'.repeat(70_000) })];
    const text = `${ndjson([good, ...bad])}${broken.join('\n')}\n\n${ndjson([good, { ...good, name: 'Other' }])}`;

    const { code, summary, stderr } = await job(
      'users',
      'import',
      file('bad.ndjson', text),
      '--organization',
      organization,
    );
    expect(code).toBe(1);
    expect(summary).toMatchObject({
      created: 1,
      refused: bad.length + broken.length + 2,
      complete: true,
    });
    expect(summary.refusedFile).toBe(path('bad.refused.ndjson'));
    expect(stderr).toContain('  line 2: name is required; email is required\n');

    const refused = reasonsIn('bad.refused.ndjson');
    await withService(organization, async (api) => {
      for (const [i, body] of [...bad, good, { ...good, name: 'Other' }].entries()) {
        const row = refused[i < bad.length ? i : i + broken.length];
        // Sent as text, because an object literal cannot contain the key `__proto__`.
        const { errors } = (await api.post('/api/v1/users').type('json').send(JSON.stringify(body))).body;
        const faults = errors.map(
          ({ field, message }: Fault) => `${field === 'body' ? 'row' : field} ${message}`,
        );
        expect(row).toEqual({ faults: faults.join('; '), line: i < bad.length ? i + 2 : i + 5 });
      }
    });
    expect(refused.slice(bad.length).map(({ faults }) => faults)).toEqual([
      'row must be JSON in UTF-8',
      'row must not exceed 64 KB',
      'email is already used by another user of the organization',
      'email is already used by another user of the organization',
    ]);
  });

  it('reads CSV as spreadsheets write it', async () => {
    const organization = await newOrganization();
    const csv =
      '\ufeffemail,name,metadata,role\r\n' +
      'one@example.com,"Smith, ""Jo""","{""a"": ""x\\ny""}",viewer\r\n' +
      'two@example.com,5" Pipe,,\n' +
      '\r\n' +
      'three@example.com,Three,not json,\r\n' +
      'four@example.com,Four\r\n' +
      "five@example.com,'=cmd(),,\r\n" +
      "six@example.com,'Tis,,";
    const { code, summary } = await job(
      'users',
      'import',
      file('sheet.csv', csv),
      '--organization',
      organization,
    );
    expect({ code, summary }).toMatchObject({ code: 1, summary: { created: 4, refused: 2 } });
    expect(refusedIn('sheet.refused.csv')).toBe(
      '\ufeffrefused_because,email,name,metadata,role\n' +
        'line 5: metadata must be JSON,three@example.com,Three,not json,\n' +
        '"line 6: row has 2 cells, but the header has 4",four@example.com,Four\n',
    );
    expect(writableFields(await exported(organization))).toEqual([
      { name: "'=cmd()", email: 'five@example.com', role: 'member', active: true, metadata: {} },
      {
        name: 'Smith, "Jo"',
        email: 'one@example.com',
        role: 'viewer',
        active: true,
        metadata: { a: 'x\ny' },
      },
      { name: "'Tis", email: 'six@example.com', role: 'member', active: true, metadata: {} },
      { name: '5" Pipe', email: 'two@example.com', role: 'member', active: true, metadata: {} },
    ]);
  });

  it('imports a corrected file of refused rows, in the format of its input', async () => {
    const organization = await newOrganization();
    const importFile = (name: string, ...options: string[]) =>
      job('users', 'import', path(name), '--organization', organization, ...options);

    file(
      'de.csv',
      '\ufeffName;E-Mail;EMAIL;Role\r\n=Ada;;ada@example.com;Admin\r\n;;;\r\nBo;x;bo@example.com;\r\n',
    );
    const options = ['--ignore-columns', 'e-mail'];
    expect((await importFile('de.csv')).stderr).toContain('use --ignore-columns "E-Mail"');
    expect((await importFile('de.csv', ...options)).summary).toMatchObject({
      rows: 2,
      created: 1,
      refused: 1,
    });
    const reason = 'line 2: role must be one of member, admin, viewer';
    expect(refusedIn('de.refused.csv')).toBe(
      `\ufeffrefused_because;Name;E-Mail;EMAIL;Role\n${reason};'=Ada;;ada@example.com;Admin\n`,
    );
    file('de.refused.csv', refusedIn('de.refused.csv').replace('Admin', 'admin'));
    expect((await importFile('de.refused.csv', ...options)).summary).toMatchObject({
      created: 1,
      refused: 0,
    });

    file('tabs.tsv', 'email\tname\nno, nobody\tCy\n');
    expect((await importFile('tabs.tsv')).summary).toMatchObject({ refusedFile: path('tabs.refused.tsv') });
    file('tabs.refused.tsv', refusedIn('tabs.refused.tsv').replace('no, nobody', 'cy@example.com'));
    expect((await importFile('tabs.refused.tsv')).summary).toMatchObject({ created: 1, refused: 0 });

    file(
      'lines',
      '{"name":"Di","email":"di@example.com","role":"Viewer"}\n{"name":"Ed","email":"ed@example.com"',
    );
    expect((await importFile('lines')).summary).toMatchObject({ refusedFile: path('lines.refused.ndjson') });
    const corrected = refusedIn('lines.refused.ndjson').replace('Viewer', 'viewer').replace(/\n$/, '}\n');
    file('lines.refused.ndjson', corrected);
    expect((await importFile('lines.refused.ndjson')).summary).toMatchObject({ created: 2, refused: 0 });

    expect((await importFile('lines', '--delimiter', 'tab')).stderr).toContain('are for CSV files');
    const names = (await exported(organization)).map(({ name, role }) => [name, role]).sort();
    expect(names).toEqual([
      ['=Ada', 'admin'],
      ['Bo', 'member'],
      ['Cy', 'member'],
      ['Di', 'viewer'],
      ['Ed', 'member'],
    ]);
  });

  it('keeps refused rows in a file that only its owner may read, even if it replaces another', async () => {
    const organization = await newOrganization();
    chmodSync(file('open.refused.ndjson', 'older'), 0o644);
    const args = ['users', 'import', file('open.ndjson', '{}\n'), '--organization', organization];
    await job(...args);
    expect(refusedIn('open.refused.ndjson')).toBe(
      '{"refused_because":"line 1: name is required; email is required"}\n',
    );
    expect((statSync(path('open.refused.ndjson')).mode & 0o777).toString(8)).toBe('600');
  });

  it('keeps refused rows of a pipe in the working directory', async () => {
    const command = `"$0" "$1" users import <(echo 7) --organization "$2" --json`;
    const args = ['-c', command, process.execPath, resolve('dist/src/cli.js'), await newOrganization()];
    const { stdout } = spawnSync('bash', args, {
      cwd: directory,
      env: { PATH: process.env.PATH, ...database.env },
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ refused: 1, refusedFile: 'refused.ndjson' });
    expect(refusedIn('refused.ndjson')).toMatch(/\n7\n$/);
  });

  it('says before it opens the database that it cannot write refused rows', async () => {
    for (const [refused, reason] of [
      [path('no/such/file'), 'no such file or directory'],
      [directory, 'illegal operation on a directory'],
    ]) {
      const args = ['users', 'import', 'package.json', '--organization', 'org_x', '--refused', refused];
      expect(await run(args, database.env)).toEqual({
        code: 1,
        stdout: '',
        stderr: `The file for refused rows cannot be written at ${refused}: ${reason}. Name another one with --refused.\n`,
      });
    }
  });

  let organization: string | undefined;
  it.each([
    ['empty.csv', '', 'is empty'],
    ['latin.csv', Buffer.from('name,email\nJürgen,j@example.com\n', 'latin1'), 'not UTF-8'],
    ['nickname.csv', 'email,nickname\n', '"nickname"'],
    ['nobody.csv', 'name,role\n', 'email is missing'],
    ['twice.csv', 'email,email\n', 'email appears twice'],
    ['open.csv', 'email,name\na@example.com,"Ada\n', 'The quote that opens at line 2 is never closed.'],
    ['endless.csv', `email,name\na@example.com,"${'x'.repeat(300_000)}`, 'never closed'],
  ])('reports the fault in %s alone, and creates no users', async (name, content, message) => {
    organization ??= await newOrganization();
    const args = ['users', 'import', file(name, content), '--organization', organization];
    const { code, summary } = await job(...args);
    expect({ code, summary }).toMatchObject({ code: 1, summary: { created: 0, complete: false } });
    const { stdout, stderr } = await run([...args, '--dry-run'], database.env);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('with --mode upsert changes only the fields in a row, makes the new words searchable and leaves equal users untouched', async () => {
    const organization = await newOrganization();
    const original = { name: 'Ada', email: 'ada@example.com', role: 'viewer', metadata: { plan: 'pro' } };
    const same = { name: 'Same', email: 'same@example.com' };
    await job('users', 'import', file('first', ndjson([original, same])), '--organization', organization);
    const before = await exported(organization);

    const csv =
      'email,name,role,metadata\nADA@example.com,Augusta,,\nsame@example.com,Same,,\nnew@example.com,,,\n';
    const args = ['users', 'import', file('changes.csv', csv), '--organization', organization];
    expect((await job(...args)).summary).toMatchObject({ created: 0, refused: 3 });
    const { code, summary } = await job(...args, '--mode', 'upsert');
    expect({ code, summary }).toMatchObject({ code: 1, summary: { updated: 1, unchanged: 1, refused: 1 } });
    expect(refusedIn('changes.refused.csv')).toBe(
      'refused_because,email,name,role,metadata\nline 4: name is required,new@example.com,,,\n',
    );

    const after = await exported(organization);
    const ada = after.find(({ name }) => name === 'Augusta')!;
    const wasAda = before.find(({ name }) => name === 'Ada')!;
    expect(ada).toEqual({
      ...wasAda,
      name: 'Augusta',
      email: 'ADA@example.com',
      version: 2,
      updatedAt: ada.updatedAt,
    });
    expect(Date.parse(ada.updatedAt)).toBeGreaterThan(Date.parse(wasAda.updatedAt));
    expect(after.find(({ name }) => name === 'Same')).toEqual(before.find(({ name }) => name === 'Same'));
    await withService(organization, async (api) => {
      const { data } = (await api.get('/api/v1/users/search?q=augutsa').expect(200)).body;
      expect(data).toEqual([ada]);
    });
  });

  it('with --dry-run reports what it would do with each batch, and writes nothing', async () => {
    const organization = await newOrganization();
    const rows = [
      ...people(0, 1200),
      { ...person(1100), name: 'Somebody Else' }, // has an email of the same batch
      person(1150),
      { name: 'Ada' },
    ];
    const args = ['users', 'import', file('dry.ndjson', ndjson(rows)), '--organization', organization];
    for (const more of [[], ['--mode', 'upsert']]) {
      const { code, summary } = await job(...args, ...more, '--dry-run');
      expect({ code, dryRun: summary.dryRun }).toEqual({ code: 1, dryRun: true });
      expect(await exported(organization)).toEqual([]);
      const other = await newOrganization();
      const real = await job(...args.slice(0, -1), other, ...more);
      expect({ ...summary, dryRun: false, seconds: 0 }).toEqual({ ...real.summary, seconds: 0 });
    }
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'keeps committed batches after a %s and resumes with --mode upsert',
    async (signal) => {
      const organization = await newOrganization();
      const rows = people(0, 5000);
      const args = ['users', 'import', file('many.ndjson', ndjson(rows)), '--organization', organization];
      const first = ums([...args, '--json'], database.env);
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

      const again = await job(...args, '--mode', 'upsert');
      expect(again).toMatchObject({
        code: 0,
        summary: { created: rows.length - committed, unchanged: committed, refused: 0, complete: true },
      });
      expect(writableFields(await exported(organization))).toEqual(writableFields(rows));
    },
  );
});

describeOn('postgres', 'ums users import, on a server', () => {
  /** Waits until a running import has committed so many users. */
  async function hasCommitted(command: Ums, organization: string, users: number) {
    while ((await exported(organization)).length < users)
      expect({ ended: command.process.exitCode, stderr: command.stderr() }).toMatchObject({ ended: null });
  }

  it('reads standard input and stops at Ctrl-C while it waits for more', async () => {
    const organization = await newOrganization();
    const args = ['users', 'import', '-', '--organization', organization, '--json'];
    const command = ums(args, database.env, 'pipe');
    command.process.stdin!.write(ndjson(people(0, 1001)));
    await hasCommitted(command, organization, 1000);
    command.process.kill('SIGINT');
    expect(await command.exit).toBe(130);
    expect(JSON.parse(command.stdout())).toMatchObject({ created: 1000, complete: false });
  });

  it('reads CSV from standard input before its end', async () => {
    const organization = await newOrganization();
    const args = ['users', 'import', '-', '--format', 'csv', '--organization', organization, '--json'];
    const command = ums(args, database.env, 'pipe');
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
    expect(readdirSync(directory).filter((entry) => entry.endsWith('.part'))).toEqual([]);
  });

  it('writes only users with a role or a state', async () => {
    const organization = await newOrganization();
    await job('seed', '--organization', organization, '--users', '100');
    const all = await exported(organization);
    const only = async (...options: string[]) => {
      const { stdout } = await run(
        ['users', 'export', '--organization', organization, ...options],
        database.env,
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

    const stopped = ums(['users', 'export', '--organization', organization], database.env);
    await once(stopped.process.stdout!, 'data');
    stopped.process.kill('SIGINT');
    expect(await stopped.exit).toBe(130);
    const written = stopped.stdout().split('\n').length - 1;
    expect(written).toBeLessThan(2500);
    expect(stopped.stderr()).toContain(
      `The export is incomplete: ${written.toLocaleString('en-US')} users were written.`,
    );

    const broken = ums(['users', 'export', '--organization', organization], database.env);
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
    expect(await run(args, database.env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^The export is incomplete: \/dev\/full was not created\. ENOSPC: no space left/,
      ),
    });
    const nowhere = [...args.slice(0, -1), path('no/such/directory')];
    expect(await run(nowhere, database.env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ENOENT'),
    });

    const bad = file('full.ndjson', ndjson([person(20), {}]));
    const importArgs = ['users', 'import', bad, '--organization', organization, '--refused', '/dev/full'];
    const stopped = await run(importArgs, database.env);
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
    const { code, stdout, stderr } = await run(['users', ...args], database.env);
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
    const seeding = ums(args, database.env);
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
