import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventNumbering } from '../src/events/event-numbering';
import { aUser, type Client } from './support/client';
import { describeOnServer, emptyDirectory } from './support/database';
import { run, type Running, start, stop, ums } from './support/process';
import { startService, type TestService } from './support/service';

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

const call = async (url: string, client: Client, method: string, path: string, body?: object) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${client.tokenValue}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
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

describeOnServer('events on two replicas', () => {
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

describeOnServer('the numbers of events', () => {
  /** Another transaction in the same database. */
  const transaction = async () => {
    const runner = service.dataSource.createQueryRunner();
    await runner.startTransaction();
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
    const numberers = upTo(4).map(async () => {
      while (isWriting || (await numbering.number(organizationId)) > 0)
        await numbering.number(organizationId);
    });
    await Promise.all(writers).finally(() => (isWriting = false));
    await Promise.all(numberers);
    await numbering.number(organizationId);
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

describeOnServer('events of commands', () => {
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
    await importAs('member');
    await importAs('member'); // changes nothing
    await importAs('viewer', '--update');
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
    await run(['tokens', 'revoke', JSON.parse(created.stdout).id], env);
    const { events } = await readFeed(client);
    expect(events.slice(1).map(({ type, source, actor }) => `${type} ${source} ${actor.name}`)).toEqual([
      ...Array(3).fill('user.created cli ums users import'),
      ...Array(3).fill('user.updated cli ums users import'),
      ...Array(2).fill('user.created cli ums seed'),
      'token.created cli ums tokens create',
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
});
