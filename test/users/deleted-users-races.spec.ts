/**
 * @slow it waits for locks and deadlocks
 */
import type { QueryRunner } from 'typeorm';
import { Database } from '../../src/platform/database/database';
import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { UsersService } from '../../src/users/users.service';
import { runJob } from '../support/background';
import { aUser, Client, type UserBody } from '../support/client';
import { deletedPath, pathOf, restorePath, useDeletedUsers } from '../support/deleted-users';
import { describeOn, itNotOn } from '../support/engine';
import { type Running, start, stop } from '../support/process';
import { untilBlocked } from '../support/until';

const { service, api, deletedUser } = useDeletedUsers({ limits: 'real' });

const typesOf = async ({ id }: { id: string }): Promise<string[]> => {
  const rows: { type: string }[] = await service.dataSource.query(
    'SELECT type FROM events WHERE organization_id = $1 AND target_id = $2 ORDER BY position',
    [api.organizationId, id],
  );
  return rows.map(({ type }) => type.replace('user.', ''));
};

describeOn('postgres', 'deleted users on two replicas', () => {
  let replicas: Running[];
  beforeAll(async () => {
    const env = { ...service.env, RATE_LIMIT_PER_MINUTE: '1000000' };
    replicas = await Promise.all([start(env), start(env)]);
  });
  afterAll(() => Promise.all(replicas.map(stop)));

  const clients = () => replicas.map(({ url }) => new Client(url, { value: api.tokenValue }));
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

  it('are restored or purged, once, however many try', async () => {
    for (let round = 0; round < 40; round++) {
      const user = await deletedUser({ name: 'Wilhelmina' });
      const [one, other] = clients();
      const calls = [
        other.post(restorePath(user)),
        one.delete(deletedPath(user)),
        one.post(restorePath(user)),
      ];
      const done = statuses(await Promise.all(calls)).filter((status) => status !== 404);
      expect([[200], [204]]).toContainEqual(done);
      const isAlive = done[0] === 200;
      expect((await typesOf(user)).slice(2)).toEqual([isAlive ? 'restored' : 'purged']);
      const { body } = await api.get(`/api/v1/events?target=${user.id}`).expect(200);
      for (const { data } of body.data) expect(data === null).toBe(!isAlive);
    }
  });

  it('and a create of their email: exactly one wins', async () => {
    for (let round = 0; round < 40; round++) {
      const user = await deletedUser({ email: `race-${round}@example.com` });
      const [one, other] = clients();
      const [restored, created] = await Promise.all([
        one.post(restorePath(user)),
        other.post('/api/v1/users', aUser({ email: `RACE-${round}@example.com` })),
      ]);
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual(statuses([restored, created]));
      const { body } = await api.get(`/api/v1/users?email=race-${round}@example.com`).expect(200);
      expect(body.data).toEqual([(restored.status === 200 ? restored : created).body]);
    }
  });
});

/** Runs a task while another transaction holds what the statement has locked or changed. */
async function whileLocked(sql: string, values: unknown[], task: (runner: QueryRunner) => Promise<void>) {
  const runner = service.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
  try {
    await runner.query(sql, values);
    await task(runner);
    await runner.commitTransaction();
  } finally {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    await runner.release();
  }
}

const LOCK_DELETED = 'SELECT FROM deleted_users WHERE organization_id = $1 AND id = $2 FOR UPDATE';

// Called directly in the midst of another call, which may wait for a lock for two seconds at most.
const users = () => service.app.get(UsersService, { strict: false });
const deletedUsers = () => service.app.get(DeletedUsersService, { strict: false });

const purgeOld = () => runJob(service.app, 'purge deleted users');

const ageAll = ({ organizationId }: Client) =>
  service.dataSource.query(`UPDATE deleted_users SET deleted_at = '2020-01-01' WHERE organization_id = $1`, [
    organizationId,
  ]);

const deletedOf = async (client: Client): Promise<string[]> => {
  const { body } = await client.get('/api/v1/deleted-users').expect(200);
  return body.data.map(({ id }: UserBody) => id);
};

it('a purge that has found its user takes nobody who is restored meanwhile', async () => {
  const user = await deletedUser({ name: 'Wilhelmina' });
  const database = service.app.get(Database);
  const read = database.read.bind(database);
  jest.spyOn(database, 'read').mockImplementationOnce(async (...args) => {
    const found = await read(...args);
    await deletedUsers().restore(api.organizationId, user.id);
    return found;
  });
  await expect(deletedUsers().purge(api.organizationId, user.id)).rejects.toMatchObject({ status: 404 });
  expect((await api.get(pathOf(user)).expect(200)).body).toMatchObject({ name: 'Wilhelmina', version: 2 });
  const { body } = await api.get(`/api/v1/events?target=${user.id}`).expect(200);
  for (const { data } of body.data) expect(data.user.name).toBe('Wilhelmina');
});

describeOn('postgres', 'a purge that has to wait', () => {
  // On a cluster it waits on a node.
  itNotOn('citus', 'empties events that are numbered meanwhile', async () => {
    const user = await deletedUser();
    let purge: Promise<{ status: number }>;
    const number = `UPDATE events SET sequence = coalesce(sequence, 1000 + position) WHERE organization_id = $1`;
    await whileLocked(number, [api.organizationId], async () => {
      purge = Promise.resolve(api.delete(deletedPath(user)));
      await untilBlocked(service.dataSource, 1, 'UPDATE%events%data = NULL%');
    });
    expect((await purge!).status).toBe(204);
    const rows: { type: string; data: object | null; sequence: string | null }[] =
      await service.dataSource.query(
        'SELECT type, data, sequence FROM events WHERE organization_id = $1 AND target_id = $2',
        [api.organizationId, user.id],
      );
    expect(rows.map(({ data }) => data)).toEqual([null, null, null]);
    for (const { type, sequence } of rows) if (type !== 'user.purged') expect(sequence).not.toBeNull();
  });

  itNotOn('citus', 'is tried again after a deadlock', async () => {
    const user = await deletedUser();
    const values = [api.organizationId, user.id];
    let purge: Promise<{ status: number }>;
    const lock = 'SELECT FROM events WHERE organization_id = $1 AND target_id = $2 FOR UPDATE';
    await whileLocked(lock, values, async (runner) => {
      purge = Promise.resolve(api.delete(deletedPath(user)));
      await untilBlocked(service.dataSource, 1, 'UPDATE%events%data = NULL%');
      await runner.query(`SET LOCAL deadlock_timeout = '1min'`); // PostgreSQL breaks off the purge
      await runner.query(LOCK_DELETED, values);
    });
    expect((await purge!).status).toBe(204);
    expect(await typesOf(user)).toEqual(['created', 'deleted', 'purged']);
  });
});

describeOn('postgres', 'the retention', () => {
  it('is held up by no user and no other organization, and tries again', async () => {
    const [locked, other] = [await service.client(), await service.client()];
    const user = await deletedUser({}, locked);
    await ageAll(locked);
    for (const client of [locked, other]) {
      await deletedUser({}, client);
      await ageAll(client);
    }
    await service.dataSource.query(
      `UPDATE deleted_users SET deleted_at = '2019-01-01' WHERE organization_id = $1 AND id = $2`,
      [locked.organizationId, user.id],
    );
    await whileLocked(LOCK_DELETED, [locked.organizationId, user.id], purgeOld);
    expect([await deletedOf(locked), await deletedOf(other)]).toEqual([[user.id], []]);
    expect(service.logs.join('')).toContain('cannot purge a deleted user');
    await purgeOld();
    expect(await deletedOf(locked)).toEqual([]);
  });

  itNotOn('citus', 'leaves a user who is restored and deleted again while it is at another one', async () => {
    const [first, second] = [await deletedUser(), await deletedUser()];
    await ageAll(api);
    const [one, other] = first.id < second.id ? [first, second] : [second, first];
    let purge: Promise<void>;
    await whileLocked(LOCK_DELETED, [api.organizationId, one.id], async () => {
      purge = purgeOld();
      await untilBlocked(service.dataSource, 1, '%deleted_users%FOR NO KEY UPDATE%');
      await deletedUsers().restore(api.organizationId, other.id);
      await users().delete(api.organizationId, other.id);
    });
    await purge!;
    await purgeOld(); // the first may have waited for the lock for too long
    expect(await deletedOf(api)).toEqual([other.id]);
  });
});

describeOn('postgres', 'a deletion of a user that another transaction changes', () => {
  itNotOn('citus', 'keeps the last state', async () => {
    const user = await api.createUser({ name: 'Former' });
    let deletion: Promise<{ status: number }>;
    await whileLocked(
      `UPDATE users SET name = 'Last', version = version + 1 WHERE organization_id = $1`,
      [api.organizationId],
      async () => {
        deletion = Promise.resolve(api.delete(pathOf(user)));
        await untilBlocked(service.dataSource, 1, '%users%FOR NO KEY UPDATE%');
      },
    );
    expect((await deletion!).status).toBe(204);
    expect((await api.get(deletedPath(user)).expect(200)).body).toMatchObject({ name: 'Last', version: 2 });
    expect(await typesOf(user)).toEqual(['created', 'deleted']);
  });
});
