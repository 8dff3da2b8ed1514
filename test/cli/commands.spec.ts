/**
 * @slow each command opens the database, which takes a server a tenth of the time
 * @only embedded postgres: a command runs the same way on a cluster
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'papaparse';
import { person } from '../../src/entry/demo/people';
import { readConfig } from '../../src/entry/process/config';
import { openDatabase } from '../../src/platform/database/data-source';
import { schema } from '../../src/schema';
import { emptyDatabase, type TestDatabase } from '../support/database';
import { ndjson, useJobs, writableFields } from '../support/jobs';
import { run } from '../support/process';
import { startService } from '../support/service';
import { createWebhook, deliveriesOf, WEBHOOK_ENV, WEBHOOKS } from '../support/webhooks';

const { database, directory, path, file, newOrganization, job, importFile, exported, withService } =
  useJobs();

/** Runs a command that succeeds with `--json`, and returns what it prints. */
const json = async (...args: string[]) => {
  const { code, stderr, summary } = await job(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return summary;
};

/** What a command prints as text. */
const text = async (...args: string[]) => (await run(args, database().env)).stdout;

/** Runs a command that fails, and returns why. */
const failure = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(args, database().env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).not.toMatch(/^\s+at /m);
  return stderr;
};

/** So that a terminal shows each line of help as it is. */
const MAX_COLUMNS = 100;

it('every command has help with an example and accepts --json', async () => {
  const leaves: string[] = [];
  const look = async (command: string[]): Promise<void> => {
    const { code, stdout } = await run([...command, '--help'], {});
    expect({ command, code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nExamples?:\n {2}\S/),
    });
    const tooWide = stdout.split('\n').filter((line) => line.length > MAX_COLUMNS);
    expect({ command, tooWide }).toEqual({ command, tooWide: [] });
    const names = [...(/\nCommands:\n([^]*?)\n\n/.exec(stdout)?.[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)].map(
      ([, name]) => name,
    );
    if (names.length === 0) {
      leaves.push(command.join(' '));
      expect(stdout).toContain('--json');
    }
    for (const name of names.filter((name) => name !== 'help')) await look([...command, name]);
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
    'organizations resume',
    'organizations suspend',
    'seed',
    'start',
    'tokens create',
    'tokens generate',
    'tokens list',
    'tokens revoke',
    'tokens rotate',
    'users delete',
    'users export',
    'users import',
    'users purge',
    'users restore',
    'webhooks list',
    'webhooks rewrap',
  ]);
});

describe('ums', () => {
  it('creates and lists organizations, and creates, lists and revokes tokens', async () => {
    const organization = await json('organizations', 'create', 'Example Inc.');
    expect(organization).toMatchObject({ id: expect.stringMatching(/^org_\w{26}$/), name: 'Example Inc.' });
    expect(await json('organizations', 'list')).toContainEqual(organization);

    const scopes = 'users:read,users:write';
    const options = ['--name', 'CI', '--scopes', scopes, '--expires-in', '90d', '--rate-limit', '6000'];
    options.push('--allowed-networks', '127.0.0.0/8, ::1');
    const { token, ...record } = await json(
      'tokens',
      'create',
      '--organization',
      organization.id,
      ...options,
    );
    expect(token).toMatch(/^umt_[0-9A-Za-z]{38}$/);
    expect(record).toMatchObject({
      name: 'CI',
      scopes: scopes.split(','),
      state: 'active',
      expiresIn: '90d',
      rateLimit: 6000,
      allowedNetworks: ['127.0.0.0/8', '::1'],
    });
    expect(await json('tokens', 'list', '--organization', organization.id)).toEqual([record]);
    await withService(organization.id, async (api) => {
      await api.withValue(token).get('/api/v1/users').expect(200);
    });

    expect(await json('tokens', 'revoke', record.id)).toMatchObject({ id: record.id, state: 'revoked' });
    const listed = await text('tokens', 'list', '--organization', organization.id);
    expect(listed).toMatch(/^id .*state/);
    expect(listed).toContain('revoked');
  });

  it('shows a terminal the columns that fit, and names the others', async () => {
    const id = await newOrganization();
    const create = ['tokens', 'create', '--organization', id, '--scopes', 'admin', '--name'];
    await json(...create, 'Nightly sync');
    await json(...create, 'x'.repeat(100), '--expires-in', '90d');
    const shown = async (columns: number, ...args: string[]) => {
      const { stdout, stderr } = await run(args, database().env, { columns });
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
      return { head: stdout.split('\n')[0].split(/ +/), stdout, stderr };
    };
    const tokens = ['tokens', 'list', '--organization', id];
    const narrow = await shown(80, ...tokens);
    expect(narrow.head).toEqual(['id', 'name', 'state']);
    expect(narrow.stdout).toContain(` ${'x'.repeat(29)}…  active\n`);
    expect(narrow.stderr).toMatch(/^Not shown: expiresAt, scopes, hint, .*\. To see all, use --json\.\n$/);
    expect((await shown(100, ...tokens)).head).toEqual(['id', 'name', 'state', 'expiresAt']);
    const wide = await shown(1_000, ...tokens);
    expect([wide.head.length > 10, wide.stderr]).toEqual([true, '']);
    expect((await shown(80, 'organizations', 'list')).head).toEqual([
      'id',
      'name',
      'suspended',
      'externalId',
    ]);
    const whole = await text(...tokens);
    expect(whole).toMatch(/^id +name +hint .*\n.* x{100} .*\n$/s);
    const unsized = await run(tokens, database().env, { columns: 0 }); // as of `docker run -t` without a terminal
    expect(unsized.stdout).toBe(whole);
  });

  it('lists the groups of an organization by name', async () => {
    const [id, other] = [await newOrganization(), await newOrganization()];
    await withService(id, async (api) => {
      for (const displayName of ['Sales', 'engineering'])
        await api.post('/scim/v2/Groups', { displayName, externalId: `${displayName}-1` }).expect(201);
    });
    expect(await json('groups', 'list', '--organization', id)).toMatchObject([
      { id: expect.stringMatching(/^grp_/), displayName: 'engineering', memberCount: 0 },
      { displayName: 'Sales', externalId: 'Sales-1' },
    ]);
    expect(await json('groups', 'list', '--organization', other)).toEqual([]);
  });

  it('lists webhooks, and why the last attempt of each failed', async () => {
    const organization = await newOrganization();
    const service = await startService(WEBHOOK_ENV, { background: true }, database());
    try {
      const api = await service.client({ organizationId: organization });
      await createWebhook(api, { description: 'quiet' });
      const { id } = await createWebhook(api, { url: 'http://127.0.0.1:1/', description: 'failing' });
      await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
      await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    } finally {
      await service.close();
    }
    expect(await json('webhooks', 'list', '--organization', organization)).toMatchObject([
      { description: 'failing', failingSince: expect.any(String), lastError: 'refused' },
      { description: 'quiet', failingSince: null, lastError: null },
    ]);
    const terminal = await run(['webhooks', 'list', '--organization', organization], database().env, {
      columns: 80,
    });
    expect(terminal.stdout).toMatch(/^id +url +lastError\b/);
    expect(await text('webhooks', 'list', '--organization', organization)).toMatch(
      /^id .* lastError\n.* refused\n.* -\n$/,
    );
  });

  it('restores and purges deleted users', async () => {
    const organization = await newOrganization();
    let [user, doomed] = ['', ''];
    await withService(organization, async (api) => {
      user = (await api.createUser({ email: 'ada@example.com', metadata: { plan: 'pro' } })).id;
      doomed = (await api.createUser()).id;
      for (const id of [user, doomed]) await api.delete(`/api/v1/users/${id}`).expect(204);
      await api.createUser({ email: 'ada@example.com' });
    });

    expect(await failure('users', 'restore', user)).toContain('--email');
    const options = ['--organization', organization, '--email', 'b@example.com'];
    const restored = await text('users', 'restore', user, ...options);
    expect(restored).toContain('email: b@example.com\n');
    expect(restored).toContain('metadata: {"plan":"pro"}\n');
    expect(await failure('users', 'purge', doomed, '--organization', 'org_x')).toContain(
      'no such deleted user',
    );
    expect(await json('users', 'purge', doomed)).toEqual({ purged: doomed });

    await withService(organization, async (api) => {
      await api.get(`/api/v1/users/${user}`).expect(200);
      await api.get(`/api/v1/deleted-users/${doomed}`).expect(404);
      const { body } = await api.get('/api/v1/events?order=desc&limit=10').expect(200);
      const actor = (name: string) => ({ type: 'system', id: null, name });
      expect(body.data.filter(({ source }: { source: string }) => source === 'cli')).toMatchObject([
        { type: 'user.purged', actor: actor('ums users purge'), data: null },
        { type: 'user.restored', actor: actor('ums users restore') },
      ]);
    });
  });

  it('suspends and resumes an organization, and deletes only a suspended one with everything in it', async () => {
    const id = await newOrganization();
    await withService(id, async (api) => void (await api.createUser()));
    expect(await json('organizations', 'suspend', id)).toMatchObject({ id, suspended: true });
    expect(await json('organizations', 'resume', id)).toMatchObject({ id, suspended: false });
    await withService(id, async (api) => {
      const { body: events } = await api.get(`/api/v1/events?target=${id}`).expect(200);
      expect(events.data).toMatchObject(
        ['suspend', 'resume'].map((name) => ({
          source: 'cli',
          actor: { type: 'system', id: null, name: `ums organizations ${name}` },
        })),
      );
    });

    expect(await failure('organizations', 'delete', id)).toContain('Suspend it first');
    await json('organizations', 'suspend', id);
    expect(await json('organizations', 'delete', id)).toEqual({ deleted: id });
    expect(await failure('organizations', 'suspend', id)).toContain('no such organization');
    expect(await json('organizations', 'list')).not.toContainEqual(expect.objectContaining({ id }));
  });

  it('generates a value for BOOTSTRAP_TOKEN without a database', async () => {
    const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    expect((await run(['tokens', 'generate'], nowhere)).stdout).toMatch(/^umt_[0-9A-Za-z]{38}\n$/);
  });

  it('refuses what it cannot do, and says why', async () => {
    const create = ['tokens', 'create', '--organization', 'org_x', '--name', 'CI', '--scopes'];
    const inOrganization = ['--organization', 'org_x'];
    const importing = ['users', 'import', 'package.json', ...inOrganization];
    const rows: [string[], string][] = [
      [['organizations', 'create', ' '], '\n  <name> must not be empty'],
      [['organizations', 'create', 'x', '--external-id', ''], '\n  --external-id must not be empty'],
      [[...create, 'root'], '\n  --scopes must be a list of'],
      [[...create, 'admin'], 'no such organization. List them with: ums organizations list'],
      [['tokens', 'create', '--name', 'CI'], "required option '--scopes <scopes>' not specified"],
      [['tokens', 'create', '--nam', 'CI'], "unknown option '--nam'\n(Did you mean --name?)"],
      [[...create, 'admin', '--expires-in', ''], '\n  --expires-in must be a number of days'],
      [[...create, 'admin', '--rate-limit', '6k'], '\n  --rate-limit must be a whole number'],
      [[...create, 'admin', '--rate-limit', '0'], '\n  --rate-limit must be at least 1'],
      [
        [...create, 'admin', '--allowed-networks', '10.0.0.0/8, 10.0.0.1/8'],
        '\n  --allowed-networks, value 2: must be an IP address or a network',
      ],
      [['tokens', 'list', ...inOrganization], 'no such organization'],
      [['groups', 'list', ...inOrganization], 'no such organization'],
      [['tokens', 'revoke', 'tok_x'], 'no such token'],
      [['users', 'restore', 'usr_x'], 'no such deleted user'],
      [['users', 'restore', 'usr_x', '--email', 'nobody'], '--email must be'],
      [['users', 'export', ...inOrganization], 'no such organization'],
      [importing, 'no such organization'],
      [['users', 'import', 'no/such/file', ...inOrganization], 'ENOENT'],
      [[...importing, '--refused', './package.json'], 'must not name the file'],
      [[...importing, '--format', 'xml'], 'Allowed choices'],
      [[...importing, '--delimiter', 'comma'], 'must be one character that is not a letter'],
      [['frobnicate'], 'unknown command'],
    ];
    for (const [args, message] of rows)
      expect({ args, reason: await failure(...args) }).toEqual({
        args,
        reason: expect.stringContaining(message),
      });
  });
});

describe('ums migrate', () => {
  let empty: TestDatabase;
  beforeEach(async () => (empty = await emptyDatabase()));
  afterEach(() => empty.drop());

  const migrate = async (...options: string[]) => {
    const { code, stdout } = await run(['migrate', ...options], empty.env);
    return { code, stdout };
  };

  it('lists pending migrations, runs them, and then reports none', async () => {
    expect(await migrate('--status', '--json')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('CreateUsers'),
    });
    expect(await migrate('--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('CreateUsers'),
    });
    expect(await migrate('--status')).toEqual({ code: 0, stdout: 'The schema is up to date.\n' });
    expect(await migrate('--json')).toEqual({ code: 0, stdout: '{"migrated":[]}\n' });
  });

  it('accepts a schema that a newer release has migrated', async () => {
    const { dataSource, close } = await openDatabase({ ...readConfig(empty.env), migrate: true }, schema);
    await dataSource.query(
      `INSERT INTO ums_migrations (timestamp, name) VALUES (2000000000000, 'AddMore2000000000000')`,
    );
    await close();
    expect(await migrate('--json')).toEqual({ code: 0, stdout: '{"migrated":[]}\n' });
    const service = await startService({}, {}, empty);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.close();
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
    const { summary } = await importFile(file('generated', ndjson(generated)), organization);
    expect(summary).toMatchObject({ created: generated.length, refused: 0 });
    const original = writableFields(await exported(organization));
    expect(original).toEqual(writableFields(generated.map((user) => ({ ...user, name: user.name.trim() }))));

    for (const [name, ...options] of [
      ['out.csv'],
      ['out.tsv'],
      ['out.ndjson'],
      ['some.csv', '--columns', 'email,name,metadata,active,role'],
    ]) {
      const output = path(name);
      const args = ['users', 'export', '--organization', organization, '--output', output, ...options];
      expect((await job(...args)).summary).toMatchObject({ users: generated.length, output });
      const other = await newOrganization();
      expect((await importFile(output, other)).code).toBe(0);
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
    const inactive = all.filter(({ active }) => !active);
    expect(inactive).toHaveLength(4);
    expect(await exported(organization, '--active', 'false')).toEqual(inactive);
    expect(await exported(organization, '--role', 'viewer', '--active', 'true')).toEqual(
      all.filter(({ role, active }) => role === 'viewer' && active),
    );
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
    const bad = file('full.ndjson', ndjson([person(20), {}]));
    const importArgs = ['users', 'import', bad, '--organization', organization, '--refused', '/dev/full'];
    const stopped = await run(importArgs, database().env);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOSPC') });
    expect(stopped.stdout).toContain('1 created');
  });
});

it('sample users are the same in every organization and created once', async () => {
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
