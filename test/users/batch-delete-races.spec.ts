/**
 * @slow it waits for locks and deadlocks, and starts processes
 */
import { randomUUID } from 'node:crypto';
import { DELETE_PATH, idsOf, RESTORE_PATH, useBatchDelete } from '../support/batch-delete';
import { aUser, Client, type UserBody } from '../support/client';
import { pathOf } from '../support/deleted-users';
import { describeOn, itNotOn } from '../support/engine';
import { type Running, start, stop } from '../support/process';
import { directoryOf } from '../support/scim';
import { untilBlocked } from '../support/until';

const { service, api, del, restore, people, eventsOf, counts } = useBatchDelete();

/** Runs a task while another transaction has changed something. */
async function whileChanged(sql: string, values: unknown[], task: () => Promise<void>): Promise<void> {
  const runner = service.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
  try {
    await runner.query(sql, values);
    await task();
    await runner.commitTransaction();
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

const inTurn = <Item>(items: readonly Item[], from: number): Item[] => [
  ...items.slice(from),
  ...items.slice(0, from),
];

describeOn('postgres', 'a batch of deletions that others get in the way of', () => {
  itNotOn('citus', 'keeps the last state of a user who is changed meanwhile', async () => {
    const users = await people(3);
    let deletion: Promise<{ body: { counts: object } }>;
    await whileChanged(
      `UPDATE users SET name = 'Last', version = 2 WHERE organization_id = $1 AND id = $2`,
      [api.organizationId, users[1].id],
      async () => {
        deletion = Promise.resolve(del(idsOf(users)).expect(200));
        await untilBlocked(service.dataSource, 1, '%FOR UPDATE%');
      },
    );
    expect((await deletion!).body.counts).toEqual({ deleted: 3, failed: 0 });
    const { body } = await api.get(`/api/v1/deleted-users/${users[1].id}`).expect(200);
    expect(body).toMatchObject({ name: 'Last', version: 2 });
  });

  itNotOn('citus', 'leaves a user whose email is changed meanwhile', async () => {
    const [ada] = await people(1);
    let deletion: Promise<{ body: { results: object[] } }>;
    await whileChanged(
      `UPDATE users SET email = 'new@example.com', email_key = 'new@example.com' WHERE organization_id = $1`,
      [api.organizationId],
      async () => {
        deletion = Promise.resolve(del([{ email: ada.email }], { by: 'email' }).expect(200));
        await untilBlocked(service.dataSource, 1, '%FOR UPDATE%');
      },
    );
    expect((await deletion!).body.results).toMatchObject([{ status: 404, id: null }]);
    await api.get(pathOf(ada)).expect(200);
  });

  itNotOn('citus', 'waits for a row of a host that refers to one of the users, who then stays', async () => {
    await service.dataSource.query(
      `CREATE TABLE badges (organization_id text COLLATE "C", user_id text COLLATE "C",
         FOREIGN KEY (organization_id, user_id) REFERENCES users)`,
    );
    const users = await people(3);
    let deletion: Promise<{ body: { results: object[] } }>;
    await whileChanged('INSERT INTO badges VALUES ($1, $2)', [api.organizationId, users[2].id], async () => {
      deletion = Promise.resolve(del(idsOf(users)).expect(200));
      await untilBlocked(service.dataSource, 1, '%FOR UPDATE%');
    });
    expect((await deletion!).body.results).toMatchObject([{ status: 204 }, { status: 204 }, { status: 409 }]);
    await service.dataSource.query('DROP TABLE badges');
  });
});

describeOn('postgres', 'batches of deletions and restores on two replicas', () => {
  let replicas: Running[];
  const env = () => ({ ...service.env, RATE_LIMIT_PER_MINUTE: '1000000' });
  beforeAll(async () => (replicas = await Promise.all([start(env()), start(env())])));
  afterAll(() => Promise.all(replicas.map(stop)));
  const clients = () => replicas.map(({ url }) => new Client(url, { value: api.tokenValue }));

  it('delete each user once, whatever their order', async () => {
    for (let round = 0; round < 10; round++) {
      const users = await people(200, (n) => ({ email: `${n}-${round}@example.com` }));
      const ids = idsOf(users);
      const byEmail = users.map(({ email }) => ({ email }));
      const [one, other] = clients();
      const answers = await Promise.all([
        one.post(DELETE_PATH, { users: ids }).expect(200),
        other.post(DELETE_PATH, { users: [...ids].reverse() }).expect(200),
        one.post(DELETE_PATH, { users: inTurn(byEmail, 100), by: 'email' }).expect(200),
      ]);
      const deleted = answers.map(({ body }) => body.counts.deleted);
      expect(deleted.reduce((sum, count) => sum + count)).toBe(200);
      expect(await counts()).toEqual([0, 200 * (round + 1)]);
    }
  });

  it('lock the groups of their users in one order', async () => {
    const scim = directoryOf(() => api);
    const users = await people(60);
    const halves = [users.filter((_, n) => n % 2 === 0), users.filter((_, n) => n % 2 === 1)];
    const groups: { id: string }[] = [];
    for (let n = 0; n < 8; n++) {
      const members = users.filter((_, i) => (i * 7) % 8 !== n).map(({ id }) => ({ value: id }));
      groups.push((await scim.post('/Groups', { displayName: `Group ${n}`, members }).expect(201)).body);
    }
    const sizes = async () => {
      const { body } = await api.get('/api/v1/groups').expect(200);
      return body.data.map(({ memberCount }: { memberCount: number }) => memberCount);
    };
    const before = await sizes();
    for (let round = 0; round < 10; round++) {
      for (const path of [DELETE_PATH, RESTORE_PATH])
        await Promise.all(
          clients().map((client, n) =>
            client.post(path, { users: inTurn(idsOf(halves[n]), round) }).expect(200),
          ),
        );
      expect(await sizes()).toEqual(before);
    }
  });

  it('and changes of their users: each change comes before the deletion, or is a 404', async () => {
    for (let round = 0; round < 5; round++) {
      const users = await people(50);
      const [one, other] = clients();
      const [{ body }, ...changes] = await Promise.all([
        one.post(DELETE_PATH, { users: idsOf(users) }).expect(200),
        ...users.map((user) => other.patch(pathOf(user), { role: 'viewer' })),
      ]);
      expect(body.counts.deleted).toBe(50);
      for (const [n, { status }] of changes.entries()) {
        const kept = (await api.get(`/api/v1/deleted-users/${users[n].id}`).expect(200)).body;
        expect([status, kept.version, kept.role]).toEqual(
          status === 200 ? [200, 2, 'viewer'] : [404, 1, 'member'],
        );
      }
    }
  });

  it('and creates of their emails: exactly one wins', async () => {
    for (let round = 0; round < 10; round++) {
      const users = await people(40, (n) => ({ email: `race-${n}-${round}@example.com` }));
      await del(idsOf(users)).expect(200);
      const [one, other] = clients();
      const [{ body: restored }, { body: created }, single] = await Promise.all([
        one.post(RESTORE_PATH, { users: idsOf(users) }).expect(200),
        other
          .post('/api/v1/users/batch', {
            users: users
              .slice(1)
              .reverse()
              .map(({ email }) => aUser({ email })),
          })
          .expect(200),
        other.post('/api/v1/users', aUser({ email: users[0].email })),
      ]);
      type Row = { status: number };
      const others = [single.status, ...created.results.map(({ status }: Row) => status).reverse()];
      const pairs = restored.results.map(({ status }: Row, n: number) => `${status} ${others[n]}`);
      for (const pair of pairs) expect(['200 409', '409 201']).toContain(pair);
    }
  });

  const survivors = async () => {
    const [users, deleted] = await counts();
    const events = await eventsOf('user.deleted');
    return { users, deleted, events: events.length };
  };

  it('write nothing if their process is killed, and their key is free', async () => {
    const users = await people(150);
    const key = randomUUID();
    const send = (client: Client): Promise<unknown> =>
      Promise.resolve(client.post(DELETE_PATH, { users: idsOf(users) }).set('Idempotency-Key', key));
    // The batch waits in its middle, when the users are deleted and not yet kept.
    await whileChanged('LOCK TABLE deleted_users IN SHARE MODE', [], async () => {
      const [victim] = replicas;
      const cut = send(clients()[0]).catch((error: Error) => error);
      await untilBlocked(service.dataSource, 1, '%INSERT INTO%deleted_users%');
      victim.process.kill('SIGKILL');
      expect(await cut).toBeInstanceOf(Error);
    });
    replicas[0] = await start(env());
    expect(await survivors()).toEqual({ users: 150, deleted: 0, events: 0 });
    const again = (await send(clients()[1])) as { status: number; body: { counts: object } };
    expect([again.status, again.body.counts]).toEqual([200, { deleted: 150, failed: 0 }]);
    expect(await survivors()).toEqual({ users: 0, deleted: 150, events: 150 });
  });
});

describeOn('postgres', 'a batch of restores that others get in the way of', () => {
  itNotOn('citus', 'refuses a user whose email another user takes meanwhile', async () => {
    const users = await people(3);
    const { id } = (await people(1))[0] as UserBody;
    await del(idsOf(users)).expect(200);
    let restored: Promise<{ body: { results: object[] } }>;
    const { email } = users[1];
    await whileChanged(
      'UPDATE users SET email = $3, email_key = $3 WHERE organization_id = $1 AND id = $2',
      [api.organizationId, id, email],
      async () => {
        restored = Promise.resolve(restore(idsOf(users)).expect(200));
        await untilBlocked(service.dataSource, 1, '%INSERT INTO%users%');
      },
    );
    expect((await restored!).body.results).toMatchObject([{ status: 200 }, { status: 409 }, { status: 200 }]);
  });
});
