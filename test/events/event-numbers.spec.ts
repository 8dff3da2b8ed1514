/**
 * @slow it waits for transactions that hold others up
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import { OrganizationsService } from '../../src/auth/organizations.service';
import { isLocked } from '../../src/database/errors';
import { EventNumbering } from '../../src/events/log/event-numbering';
import { EventRetention } from '../../src/events/log/event-retention';
import { TokenEvents } from '../../src/events/token-events';
import { TokensService } from '../../src/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { aUser, type Client, type UserBody } from '../support/client';
import { emptyDirectory } from '../support/database';
import { describeOn } from '../support/engine';
import { run, type Running, start, stop, ums } from '../support/process';
import { startService, type TestService } from '../support/service';

interface EventBody {
  id: string;
  sequence: number;
  type: string;
  source: string;
  actor: { name: string };
  target: { id: string };
  data: { user: { id: string; version: number; role: string }; previous?: object };
}

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })));
afterAll(() => service.close());

/** Repeats what is refused for want of a connection, as a client does: 40 users of an organization are written at once. */
const call = async (url: string, client: Client, method: string, path: string, body?: object) => {
  for (;;) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${client.tokenValue}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    const seconds = response.headers.get('Retry-After');
    if (response.status !== 503 || seconds === null)
      return { status: response.status, body: text && JSON.parse(text) };
    await sleep(Number(seconds) * 1_000);
  }
};

/** Reads the feed from the cursor to its present end. */
async function readFeed(client: Client, cursor = '', url = service.url) {
  const events: EventBody[] = [];
  for (;;) {
    const path = `/api/v1/events?limit=50${cursor && `&cursor=${cursor}`}`;
    const { status, body } = await call(url, client, 'GET', path);
    expect([status, body.errors]).toEqual([200, undefined]);
    events.push(...body.data);
    cursor = body.nextCursor;
    if (body.data.length === 0) return { events, cursor };
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Each event once, in order, without a gap; and the events of a user are all of its changes, and those of nobody else. */
async function expectComplete(events: EventBody[], { organizationId }: Client) {
  expect(events.map(({ sequence }) => sequence)).toEqual(upTo(events.length));
  const versions = new Map<string, number>();
  const states = new Map<string, object>();
  for (const { type, target, data } of events) {
    if (!type.startsWith('user.')) continue;
    if (type === 'user.deleted') states.delete(target.id);
    else {
      expect([target.id, data.user.version]).toEqual([target.id, (versions.get(target.id) ?? 0) + 1]);
      versions.set(target.id, data.user.version);
      states.set(target.id, { id: target.id, version: data.user.version, role: data.user.role });
    }
  }
  const rows: object[] = await service.dataSource.query(
    'SELECT id, version, role FROM users WHERE organization_id = $1 ORDER BY id',
    [organizationId],
  );
  const byId = (a: object, b: object) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1);
  expect([...states.values()].sort(byId)).toEqual(rows.sort(byId));
}

/** Creates a user, changes it three times, partly at once and by different replicas, and deletes every third one. */
async function writeSome(urls: string[], client: Client, n: number) {
  const [url] = urls;
  const { status, body } = await call(url, client, 'POST', '/api/v1/users', aUser());
  if (status !== 201) throw new Error(`A create was a ${status}.`);
  const path = `/api/v1/users/${body.id}`;
  await call(url, client, 'PATCH', path, { role: 'admin' });
  await Promise.all(
    ['viewer', 'member'].map((role, i) => call(urls[i % urls.length], client, 'PATCH', path, { role })),
  );
  if (n % 3 === 0) await call(url, client, 'DELETE', path);
}

describeOn('postgres', 'events on two replicas', () => {
  let replicas: Running[];
  beforeEach(async () => {
    const env = { ...service.env, RATE_LIMIT_PER_MINUTE: '1000000' };
    replicas = await Promise.all([start(env), start(env)]);
  });
  afterEach(() => Promise.all(replicas.map(stop)));

  it('reach each of two readers once, in order and without a gap, while 500 writes are under way', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => service.client()));
    let isWriting = true;
    const readers = clients.flatMap((client) =>
      [0, 1].map(async (i) => {
        const seen: EventBody[] = [];
        let cursor: string | undefined;
        for (let rounds = 0; rounds < 2; rounds += isWriting ? 0 : 1) {
          const next = await readFeed(client, cursor, replicas[i].url);
          seen.push(...next.events);
          cursor = next.cursor;
        }
        return { client, seen };
      }),
    );
    const urls = replicas.map(({ url }) => url);
    const writes = upTo(125).map((n) => writeSome(urls, clients[n % 3], n));
    await Promise.all(writes).finally(() => (isWriting = false));
    for (const { client, seen } of await Promise.all(readers)) await expectComplete(seen, client);
  });

  it('are complete after a replica was killed while it wrote and numbered', async () => {
    const client = await service.client();
    for (let round = 0; round < 3; round++) {
      const victim = await start({ ...service.env, RATE_LIMIT_PER_MINUTE: '1000000' });
      const writes = upTo(40).map((n) => writeSome([victim.url], client, n).catch(() => undefined));
      const reads = upTo(5).map(() => readFeed(client, '', victim.url).catch(() => undefined));
      await sleep(100 + 150 * round);
      victim.process.kill('SIGKILL');
      await Promise.all([...writes, ...reads, victim.exit]);
      await expectComplete((await readFeed(client)).events, client);
    }
  });
});

describeOn('postgres', 'the numbers of events', () => {
  it('are complete after a replica was killed in the middle of numbering', async () => {
    const client = await service.client();
    const { organizationId } = client;
    const victim = await start({ ...service.env });
    const open = await transaction();
    try {
      const lock = 'SELECT FROM events WHERE organization_id = $1 AND sequence IS NULL FOR UPDATE';
      while ((await open.query(lock, [organizationId])).length === 0) await client.createUser();
      const read = readFeed(client, '', victim.url).catch(() => undefined);
      await sleep(500); // until it waits for the event
      victim.process.kill('SIGKILL');
      await Promise.all([read, victim.exit]);
    } finally {
      await open.rollbackTransaction();
      await open.release();
    }
    await client.createUser();
    await expectComplete((await readFeed(client)).events, client);
  });

  /** Another transaction in the same database. */
  const transaction = async () => {
    const runner = service.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    return runner;
  };
  const insert = (count: number, organizationId: string) =>
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
     SELECT '${organizationId}', '${randomUUID()}' || n, 'user.created', 'cli', 'burst', 'usr_' FROM generate_series(1, ${count}) AS n`;

  it('follow the positions, however many number at once', async () => {
    const client = await service.client();
    const { organizationId } = client;
    await readFeed(client); // moves the event of its token to the others
    const numbering = service.app.get(EventNumbering, { strict: false });
    const writers = upTo(6).map(async () => {
      for (let n = 0; n < 10; n++) await service.dataSource.query(insert(120, organizationId));
    });
    let isWriting = true;
    // Four that never rest can keep one of them from the lock for longer than it waits.
    const number = () =>
      numbering.number(organizationId).catch((error: unknown) => {
        if (!isLocked(error)) throw error;
        return 1;
      });
    const numberers = upTo(4).map(async () => {
      while (isWriting || (await number()) > 0) await number();
    });
    await Promise.all(writers).finally(() => (isWriting = false));
    await Promise.all(numberers);
    expect(await numbering.catchUp(organizationId, 30_000)).toBe(true); // the background may number at the same time
    const [{ count, last, distinct, head }] = await service.dataSource.query(
      `SELECT count(*)::int AS count, max(sequence)::int AS last, count(DISTINCT sequence)::int AS distinct,
         (SELECT sequence::int FROM event_heads WHERE organization_id = $1) AS head
       FROM events WHERE organization_id = $1`,
      [organizationId],
    );
    expect([count, last, distinct, head]).toEqual([7201, 7201, 7201, 7201]);
  });

  it('wait for nobody: a transaction that stays open holds up no other event', async () => {
    const client = await service.client();
    const [open, foreign] = [await transaction(), await transaction()];
    try {
      await foreign.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await foreign.query('CREATE TABLE foreign_table AS SELECT FROM events');
      const first = await readFeed(client);
      await open.query(insert(1, client.organizationId)); // has a lower position than what follows
      const user = await client.createUser();
      const second = await readFeed(client, first.cursor);
      expect(second.events.map(({ target }) => target.id)).toEqual([user.id]);
      await open.commitTransaction();
      const third = await readFeed(client, second.cursor);
      expect(third.events.map(({ sequence }) => sequence)).toEqual([second.events[0].sequence + 1]);
    } finally {
      if (open.isTransactionActive) await open.rollbackTransaction();
      await foreign.rollbackTransaction();
      await Promise.all([open.release(), foreign.release()]);
    }
  });

  it('are waited for no longer than for a lock: the page is shorter, and says that there are more', async () => {
    const client = await service.client();
    const { cursor } = await readFeed(client);
    const open = await transaction();
    const path = `/api/v1/events?cursor=${cursor}`;
    let user: UserBody;
    try {
      await open.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [
        client.organizationId,
      ]);
      user = await client.createUser();
      const { body, headers } = await client.get(path).expect(200);
      expect([body.data, body.nextCursor]).toEqual([[], cursor]);
      expect(headers.link).toContain('rel="next"');
      // A history without its newest event would never show it.
      expect((await client.get('/api/v1/events?order=desc').expect(503)).headers['retry-after']).toBe('2');
    } finally {
      await open.rollbackTransaction();
      await open.release();
    }
    const { body } = await client.get(path).expect(200);
    expect(body.data.map(({ target }: EventBody) => target.id)).toEqual([user.id]);
  });

  it('are given by a reader, too, that has waited for another one', async () => {
    const client = await service.client();
    const { organizationId } = client;
    const { cursor } = await readFeed(client);
    const open = await transaction();
    try {
      let numbered: unknown[] = [];
      while (numbered.length === 0) {
        await client.createUser();
        await open.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [organizationId]);
        [numbered] = await open.query(
          `UPDATE events SET sequence = (SELECT sequence + 1 FROM event_heads WHERE organization_id = $1)
           WHERE organization_id = $1 AND sequence IS NULL RETURNING id`,
          [organizationId],
        );
      }
      await open.query('UPDATE event_heads SET sequence = sequence + 1 WHERE organization_id = $1', [
        organizationId,
      ]);
      const user = await client.createUser();
      const page = client.get(`/api/v1/events?cursor=${cursor}`).then(({ body }) => body.data);
      await sleep(400); // until it waits, for longer than it would number a backlog
      await open.commitTransaction();
      expect((await page).at(-1).target.id).toBe(user.id);
    } finally {
      if (open.isTransactionActive) await open.rollbackTransaction();
      await open.release();
    }
  });

  it('are given to all organizations but the one that cannot get them now', async () => {
    const clients = [await service.client(), await service.client()];
    const sequences = () =>
      Promise.all(
        clients.map(async ({ organizationId }) => {
          const sql = 'SELECT sequence FROM events WHERE organization_id = $1';
          return (await service.dataSource.query(sql, [organizationId])).map(
            ({ sequence }: { sequence: string | null }) => sequence,
          );
        }),
      );
    for (const client of clients) await readFeed(client); // the event of its token
    const open = await transaction();
    try {
      await open.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [
        clients[0].organizationId,
      ]);
      for (const client of clients) await service.dataSource.query(insert(1, client.organizationId));
      await service.app.get(EventNumbering, { strict: false }).numberAll(new AbortController().signal);
      const found = await sequences();
      expect(found[0]).toContain(null);
      expect(found[1]).not.toContain(null);
    } finally {
      await open.rollbackTransaction();
      await open.release();
    }
  });

  it('are given behind an organization that fills a round, and cannot get them now', async () => {
    const ids = [await service.client(), await service.client()].map(({ organizationId }) => organizationId);
    const [full, behind] = ids.sort();
    const number = () =>
      service.app.get(EventNumbering, { strict: false }).numberAll(new AbortController().signal);
    await number(); // adds the heads
    const open = await transaction();
    try {
      await open.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [full]);
      await service.dataSource.query(insert(10_000, full));
      await service.dataSource.query(insert(1, behind));
      for (let round = 0; round < 2; round++) await number();
      const left = await service.dataSource.query(
        `SELECT organization_id AS id, count(*)::int FROM events
         WHERE sequence IS NULL AND organization_id = ANY ($1) GROUP BY 1`,
        [ids],
      );
      expect(left).toEqual([{ id: full, count: 10_000 }]);
    } finally {
      await open.rollbackTransaction();
      await open.release();
    }
  });

  it('are not given to what is rolled back', async () => {
    const client = await service.client();
    const open = await transaction();
    await open.query(insert(3, client.organizationId));
    await client.createUser();
    await open.rollbackTransaction();
    await open.release();
    await client.createUser();
    expect((await readFeed(client)).events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });
});

describeOn('postgres', 'of an organization that is deleted, no event stays behind', () => {
  const numbering = () => service.app.get(EventNumbering, { strict: false });
  const newOrganization = async () => (await service.app.get(OrganizationsService).create('Test')).id;
  const insertEvent = `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
    VALUES ($1, 'evt_1', 'user.deleted', 'api', 'Test', 'usr_')`;

  const countsOf = async (organizationId: string) => {
    const tables = ['organizations', 'tokens', 'token_events', 'events', 'event_heads', 'event_cursors'];
    const left: string[] = [];
    for (const table of tables) {
      const key = table === 'organizations' ? 'id' : 'organization_id';
      const rows = await service.dataSource.query(`SELECT FROM ${table} WHERE ${key} = $1`, [organizationId]);
      if (rows.length > 0) left.push(`${rows.length} of ${table}`);
    }
    return left;
  };

  /** Deletes the organization and runs the task while a transaction holds up both, which is committed then. */
  const deleteMeanwhile = async (
    organizationId: string,
    [hold, ...more]: string[],
    task: () => Promise<unknown>,
    isTaskFirst = false,
  ) => {
    const open = service.dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    const deletion = () => service.app.get(OrganizationsService).delete(organizationId);
    try {
      for (const sql of [hold, ...more]) await open.query(sql, sql.includes('$1') ? [organizationId] : []);
      const running: Promise<unknown>[] = [];
      for (const next of isTaskFirst ? [task, deletion] : [deletion, task]) {
        running.push(next());
        await sleep(400); // until it waits; locks are waited for 2 seconds
      }
      await open.commitTransaction();
      await Promise.all(running);
    } finally {
      if (open.isTransactionActive) await open.rollbackTransaction();
      await open.release();
    }
  };

  it('while events of its tokens are moved', async () => {
    const id = await newOrganization();
    const tokens = service.app.get(TokensService);
    const { token } = await tokens.create(id, { name: 'Test', scopes: ['users:read'] });
    await tokens.revoke(id, token.id);
    const move = () => service.app.get(TokenEvents, { strict: false }).move(id);
    await deleteMeanwhile(id, ['LOCK TABLE events IN SHARE MODE'], move, true);
    expect(await countsOf(id)).toEqual([]);
  });

  it('while its last user is deleted', async () => {
    const id = await newOrganization();
    const user = await service.app.get(UsersService).create(id, aUser());
    await numbering().number(id);
    const deleteUser = [`DELETE FROM users WHERE organization_id = $1 AND id = '${user.id}'`, insertEvent];
    await deleteMeanwhile(id, deleteUser, async () => undefined);
    expect(await countsOf(id)).toEqual([]);
  });

  it('while its first events are numbered', async () => {
    const id = await newOrganization();
    await service.dataSource.query(insertEvent, [id]);
    const hold = 'SELECT FROM events WHERE organization_id = $1 FOR UPDATE';
    await deleteMeanwhile(id, [hold], () => numbering().number(id));
    expect(await countsOf(id)).toEqual([]);
  });
});

describeOn('postgres', 'events that are too old', () => {
  it('are removed once, however many processes do it', async () => {
    // Without a token, whose event would be numbered in the background.
    const { id: organizationId } = await service.app.get(OrganizationsService).create('Test');
    await service.dataSource.query(
      `INSERT INTO events (organization_id, id, sequence, occurred_at, type, source, actor_name, target_id)
       SELECT $1, 'evt_' || n, n, now() - interval '400 days', 'user.created', 'cli', 'burst', 'usr_' FROM generate_series(1, 4500) AS n`,
      [organizationId],
    );
    await service.dataSource.query('INSERT INTO event_heads (organization_id, sequence) VALUES ($1, 4500)', [
      organizationId,
    ]);
    const query = jest.spyOn(PostgresQueryRunner.prototype, 'query');
    const retention = service.app.get(EventRetention, { strict: false });
    await Promise.all(upTo(3).map(() => retention.removeOld()));
    const deletions = query.mock.calls.filter(([sql]) => /DELETE FROM "?events"?/.test(sql)).length;
    query.mockRestore();
    expect(deletions).toBe(5);
    const rows = await service.dataSource.query(
      'SELECT id FROM events WHERE organization_id = $1 AND sequence IS NOT NULL',
      [organizationId],
    );
    expect(rows).toEqual([]);
  });
});

describeOn('postgres', 'events of commands', () => {
  it('name the command, and a dry run has none', async () => {
    const client = await service.client();
    const { organizationId } = client;
    const { env } = service;
    const directory = await emptyDirectory();
    const file = join(directory.env.DATA_DIR, 'people.ndjson');
    const people = upTo(3).map((n) => ({ name: `Person ${n}`, email: `${n}@example.com` }));
    const importAs = async (role: string, ...options: string[]) => {
      writeFileSync(file, people.map((person) => JSON.stringify({ ...person, role })).join('\n'));
      const { code } = await run(
        ['users', 'import', file, '--organization', organizationId, ...options],
        env,
      );
      expect(code).toBe(0);
    };
    await importAs('member', '--dry-run');
    expect((await readFeed(client)).events.map(({ type }) => type)).toEqual(['token.created']);
    await importAs('member');
    await importAs('member', '--mode', 'upsert'); // changes nothing
    await importAs('viewer', '--mode', 'upsert');
    await run(['seed', '--organization', organizationId, '--users', '2'], env);
    const created = await run(
      [
        'tokens',
        'create',
        '--organization',
        organizationId,
        '--name',
        'CI',
        '--scopes',
        'users:read',
        '--json',
      ],
      env,
    );
    await run(['tokens', 'rotate', JSON.parse(created.stdout).id], env);
    await run(['tokens', 'revoke', JSON.parse(created.stdout).id], env);
    const { events } = await readFeed(client);
    expect(events.slice(1).map(({ type, source, actor }) => `${type} ${source} ${actor.name}`)).toEqual([
      ...Array(3).fill('user.created cli ums users import'),
      ...Array(3).fill('user.updated cli ums users import'),
      ...Array(2).fill('user.created cli ums seed'),
      'token.created cli ums tokens create',
      'token.rotated cli ums tokens rotate',
      'token.revoked cli ums tokens revoke',
    ]);
    expect(events[4].data.previous).toEqual({ role: 'member' });
    await expectComplete(events, client);
    await directory.drop();
  });

  it('are printed as they happen', async () => {
    const client = await service.client();
    await client.createUser();
    const tail = (...options: string[]) =>
      ums(['events', 'tail', '--organization', client.organizationId, ...options], service.env);
    const [all, latest] = [tail('--json', '--since', '2020-01-01T00:00:00Z'), tail('--type', 'user.deleted')];
    const lines = (command: typeof all) => command.stdout().split('\n').filter(Boolean);
    while (lines(all).length < 2) await sleep(50);
    expect(lines(all).map((line) => JSON.parse(line).type)).toEqual(['token.created', 'user.created']);
    await sleep(1_000); // the other one has begun, too
    const user = await client.createUser();
    await client.delete(`/api/v1/users/${user.id}`).expect(204);
    while (lines(all).length < 4 || lines(latest).length < 1) await sleep(50);
    expect(lines(latest)).toEqual([expect.stringContaining(`4  user.deleted  ${user.id}  by Test`)]);
    for (const command of [all, latest]) {
      command.process.kill('SIGINT');
      expect(await command.exit).toBe(0);
    }
  });

  it('are printed again after an outage, and what was removed meanwhile is said', async () => {
    const client = await service.client();
    const { organizationId } = client;
    const tail = ums(
      ['events', 'tail', '--organization', organizationId, '--since', '2020-01-01T00:00:00Z'],
      service.env,
    );
    const until = async (isDone: () => boolean) => {
      while (!isDone()) await sleep(50);
    };
    await until(() => tail.stdout().includes('token.created'));

    const open = service.dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    await open.query('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    await until(() => tail.stderr().includes('The database is not available.'));
    await open.rollbackTransaction();
    await open.release();
    const second = await client.createUser();
    await until(() => tail.stdout().includes(second.id));

    tail.process.kill('SIGSTOP');
    for (let n = 0; n < 3; n++) await client.createUser();
    await readFeed(client);
    await service.dataSource.query(
      `UPDATE events SET occurred_at = now() - interval '400 days' WHERE organization_id = $1 AND sequence <= 4`,
      [organizationId],
    );
    await service.app.get(EventRetention, { strict: false }).removeOld();
    tail.process.kill('SIGCONT');
    await until(() => tail.stdout().includes('  5  user.created'));

    expect(tail.stderr()).toContain('The events 3 to 4 are missing here: they are no longer kept.');
    expect(tail.stdout()).not.toContain('  4  user.created');
    tail.process.kill('SIGINT');
    expect(await tail.exit).toBe(0);
  });
});
