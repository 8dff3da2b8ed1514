/**
 * @slow it starts processes
 */
import { randomUUID } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { EventNumbering } from '../../src/events/log/event-numbering';
import { TokenEvents } from '../../src/events/log/token-events';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { TokensService } from '../../src/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { aUser, type Client, type UserBody } from '../support/client';
import { describeOn } from '../support/engine';
import { call, type EventBody, upTo, useFeed } from '../support/feed';
import { type Running, start, stop } from '../support/process';
import { untilBlocked } from '../support/until';

const { service, readFeed, expectComplete } = useFeed({ limits: 'real' });

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
    const env = { ...service().env, RATE_LIMIT_PER_MINUTE: '1000000' };
    replicas = await Promise.all([start(env), start(env)]);
  });
  afterEach(() => Promise.all(replicas.map(stop)));

  it('reach each of two readers once, in order and without a gap, while 500 writes are under way', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => service().client()));
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
});

describeOn('postgres', 'the numbers of events', () => {
  /** Another transaction in the same database, which is rolled back unless the task commits it. */
  async function withTransaction(task: (open: QueryRunner) => Promise<void>): Promise<void> {
    const open = service().dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    try {
      await task(open);
    } finally {
      if (open.isTransactionActive) await open.rollbackTransaction();
      await open.release();
    }
  }

  it('are complete after a replica was killed in the middle of numbering', async () => {
    const client = await service().client();
    const { organizationId } = client;
    const victim = await start({ ...service().env });
    await withTransaction(async (open) => {
      const lock = 'SELECT FROM events WHERE organization_id = $1 AND sequence IS NULL FOR UPDATE';
      while ((await open.query(lock, [organizationId])).length === 0) await client.createUser();
      const read = readFeed(client, '', victim.url).catch(() => undefined);
      await untilBlocked(service().dataSource); // it waits for the event
      victim.process.kill('SIGKILL');
      await Promise.all([read, victim.exit]);
    });
    await client.createUser();
    await expectComplete((await readFeed(client)).events, client);
  });

  const insert = (count: number, organizationId: string) =>
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
     SELECT '${organizationId}', '${randomUUID()}' || n, 'user.created', 'cli', 'burst', 'usr_' FROM generate_series(1, ${count}) AS n`;

  it('are not given to what is rolled back', async () => {
    const client = await service().client();
    await withTransaction(async (open) => {
      await open.query(insert(3, client.organizationId));
      await client.createUser();
      expect((await readFeed(client)).events).toHaveLength(2);
    });
    await client.createUser();
    expect((await readFeed(client)).events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it('are given by one after the other, also to what is committed while another one gives them', async () => {
    const client = await service().client();
    const { organizationId } = client;
    await readFeed(client); // moves the event of its token to the others
    const numbering = service().app.get(EventNumbering, { strict: false });
    await withTransaction((late) =>
      withTransaction(async (holder) => {
        await late.query(insert(1, organizationId)); // has the first position, and is committed last
        await service().dataSource.query(insert(1, organizationId));
        const lock = 'SELECT FROM events WHERE organization_id = $1 AND sequence IS NULL FOR UPDATE';
        await holder.query(lock, [organizationId]);
        const first = numbering.number(organizationId);
        await untilBlocked(service().dataSource);
        await late.commitTransaction();
        const second = numbering.number(organizationId);
        await untilBlocked(service().dataSource, 2);
        await holder.rollbackTransaction();
        expect(await Promise.allSettled([first, second])).toEqual([
          { status: 'fulfilled', value: 1 },
          { status: 'fulfilled', value: 0 },
        ]);
        expect(await numbering.number(organizationId)).toBe(1);
      }),
    );
  });

  it('wait for nobody: a transaction that stays open holds up no other event', async () => {
    const client = await service().client();
    await withTransaction((open) =>
      withTransaction(async (foreign) => {
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
      }),
    );
  });

  it('are waited for no longer than for a lock: the page is shorter, and says that there are more', async () => {
    const client = await service().client();
    const { cursor } = await readFeed(client);
    const path = `/api/v1/events?cursor=${cursor}`;
    let user: UserBody | undefined;
    await withTransaction(async (open) => {
      await open.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [
        client.organizationId,
      ]);
      user = await client.createUser();
      const { body, headers } = await client.get(path).expect(200);
      expect([body.data, body.nextCursor]).toEqual([[], cursor]);
      expect(headers.link).toContain('rel="next"');
      // A history without its newest event would never show it.
      expect((await client.get('/api/v1/events?order=desc').expect(503)).headers['retry-after']).toBe('2');
    });
    const { body } = await client.get(path).expect(200);
    expect(body.data.map(({ target }: EventBody) => target.id)).toEqual([user!.id]);
  });

  it('are given by a reader, too, that has waited for another one', async () => {
    const client = await service().client();
    const { organizationId } = client;
    const { cursor } = await readFeed(client);
    await withTransaction(async (open) => {
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
      await untilBlocked(service().dataSource);
      await open.commitTransaction();
      expect((await page).at(-1).target.id).toBe(user.id);
    });
  });

  it('are given behind an organization that fills a round, and cannot get them now', async () => {
    const ids = [await service().client(), await service().client()].map(
      ({ organizationId }) => organizationId,
    );
    const [full, behind] = ids.sort();
    const number = async () =>
      Promise.all(await service().app.get(EventNumbering, { strict: false }).beginAll());
    await number(); // adds the heads
    await withTransaction(async (open) => {
      await open.query('SELECT FROM event_heads WHERE organization_id = $1 FOR UPDATE', [full]);
      await service().dataSource.query(insert(10_000, full));
      await service().dataSource.query(insert(1, behind));
      for (let round = 0; round < 2; round++) await number();
      const left = await service().dataSource.query(
        `SELECT organization_id AS id, count(*)::int FROM events
         WHERE sequence IS NULL AND organization_id = ANY ($1) GROUP BY 1`,
        [ids],
      );
      expect(left).toEqual([{ id: full, count: 10_000 }]);
    });
  });
});

describeOn('postgres', 'of an organization that is deleted, no event stays behind', () => {
  const { service } = useFeed(); // which waits for longer
  const numbering = () => service().app.get(EventNumbering, { strict: false });
  const newOrganization = async () => (await service().app.get(OrganizationsService).create('Test')).id;
  const insertEvent = `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
    VALUES ($1, 'evt_1', 'user.deleted', 'api', 'Test', 'usr_')`;

  const rowsOf = async (organizationId: string) => {
    const tables = ['tokens', 'token_events', 'events', 'event_heads', 'event_cursors'];
    const rows = tables.map((table) => `SELECT '${table}' FROM ${table} WHERE organization_id = $1`);
    const sql = ['SELECT id FROM organizations WHERE id = $1', ...rows].join(' UNION ALL ');
    return service().dataSource.query(sql, [organizationId]);
  };

  /** Deletes the organization and runs a task while a transaction holds up both, which is committed then. */
  const deleteMeanwhile = async (
    organizationId: string,
    hold: string[],
    task?: () => Promise<unknown>,
    isTaskFirst = false,
  ) => {
    await service().app.get(OrganizationsService).suspend(organizationId);
    const open = service().dataSource.createQueryRunner();
    await open.startTransaction();
    await open.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    const deletion = () => service().app.get(OrganizationsService).delete(organizationId);
    try {
      for (const sql of hold) await open.query(sql, sql.includes('$1') ? [organizationId] : []);
      const running: Promise<unknown>[] = [];
      for (const next of isTaskFirst ? [task, deletion] : [deletion, task]) {
        if (!next) continue;
        running.push(next());
        await untilBlocked(service().dataSource, running.length);
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
    const tokens = service().app.get(TokensService);
    const { token } = await tokens.create(id, { name: 'Test', scopes: ['users:read'] });
    await tokens.revoke(id, token.id);
    const move = () => service().app.get(TokenEvents, { strict: false }).move(id);
    await deleteMeanwhile(id, ['LOCK TABLE events IN SHARE MODE'], move, true);
    expect(await rowsOf(id)).toEqual([]);
  });

  it('while its last user is deleted', async () => {
    const id = await newOrganization();
    const user = await service().app.get(UsersService).create(id, aUser());
    await numbering().number(id);
    const deleteUser = [`DELETE FROM users WHERE organization_id = $1 AND id = '${user.id}'`, insertEvent];
    await deleteMeanwhile(id, deleteUser);
    expect(await rowsOf(id)).toEqual([]);
  });

  it('while its first events are numbered', async () => {
    const id = await newOrganization();
    await service().dataSource.query(insertEvent, [id]);
    const hold = 'SELECT FROM events WHERE organization_id = $1 FOR UPDATE';
    await deleteMeanwhile(id, [hold], () => numbering().number(id));
    expect(await rowsOf(id)).toEqual([]);
  });
});
