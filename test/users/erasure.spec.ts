/**
 * @slow it writes long histories
 */
import type { DataSource } from 'typeorm';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Database } from '../../src/platform/database/database';
import { FEATURES } from '../../src/service.module';
import { runJob } from '../support/background';
import type { Client } from '../support/client';
import { describeOn, itNotOn } from '../support/engine';
import { rowsReadBy } from '../support/plans';
import { startService, type TestService } from '../support/service';
import { statementsOf } from '../support/statements';

let service: TestService;
beforeAll(async () => (service = await startService({}, { limits: 'real' })));
afterAll(() => service.close());

/** Every row of every table as text, also those that dumpOf() leaves out because each request writes them. */
async function dump(dataSource: DataSource): Promise<string> {
  const tables: { name: string }[] = await dataSource.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts = tables.map(async ({ name }) => {
    const rows: { text: string }[] = await dataSource.query(`SELECT t::text AS text FROM ${name} AS t`);
    return rows.map(({ text }) => `${name} ${text}`).join('\n');
  });
  return (await Promise.all(texts)).join('\n');
}

/** Words that nobody else has, and parts of addresses that are no words. */
const TRACES = /quetzal|zyxwvut|brontosaur|hippogriff|777-11-9|wombat|umbriel|xanadu/i;

/** The rows that have a trace of somebody who has been purged. */
const traces = async ({ dataSource } = service) =>
  (await dump(dataSource)).split('\n').filter((row) => TRACES.test(row));

/** A user with a history: created with a key, renamed, given another address, deleted, restored and deleted again. */
async function someone(api: Client): Promise<string> {
  const fields = {
    externalId: 'Xanadu 777-11-9',
    name: 'Quetzalina Umbriel',
    email: 'quetzalina.777-11-9@brontosaur.example',
    metadata: { 'hippogriff-key': { deep: ['Wombat', 'Xanadu'] } },
  };
  const create = () => api.post('/api/v1/users', fields).set('Idempotency-Key', 'once').expect(201);
  const { body: user } = await create();
  await create();
  const path = `/api/v1/users/${user.id}`;
  await api.get('/api/v1/events').expect(200); // has the first ones numbered
  await api.patch(path, { name: 'Zyxwvut Former' }).expect(200);
  await api
    .patch(path, { email: 'zyxwvut@brontosaur.example', metadata: { wombat: 'Zyxwvutz' } })
    .expect(200);
  const elements = [
    { email: 'zyxwvut@brontosaur.example', name: 'Zyxwvut Batched' },
    { email: 'no address of hippogriff', name: 'Wombat' },
  ];
  const batch = { users: elements, mode: 'upsert' };
  await api.post('/api/v1/users/batch', batch).set('Idempotency-Key', 'batch').expect(200);
  await api.delete(path).expect(204);
  await api.post(`/api/v1/deleted-users/${user.id}/restore`, { email: 'second@xanadu.example' }).expect(200);
  await api.patch(path, { name: 'Umbriel Last' }).expect(200);
  await api.delete(path).expect(204);
  return user.id;
}

it('every table with a foreign key to users says in its feature what a purge does with it', async () => {
  const rows: { name: string }[] = await service.dataSource.query(
    `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
     WHERE contype = 'f' AND confrelid IN ('users'::regclass, 'deleted_users'::regclass)`,
  );
  const stated = FEATURES.flatMap(({ feature }) => feature.personal).map(
    ({ entity }) => service.dataSource.getMetadata(entity).tableName,
  );
  expect(rows.map(({ name }) => name)).toContain('user_search');
  const faults = rows
    .filter(({ name }) => !stated.includes(name))
    .map(({ name }) => `the module of its feature: personal lacks the entity of ${name}`);
  expect(faults).toEqual([]);
});

describe('after a purge', () => {
  it('no table has a name, an email or metadata of the user', async () => {
    const api = await service.client();
    const id = await someone(api);
    expect(await traces()).not.toEqual([]);

    await api.delete(`/api/v1/deleted-users/${id}`).expect(204);

    expect(await traces()).toEqual([]);
  });

  it('by the retention, neither', async () => {
    const api = await service.client();
    const id = await someone(api);
    await service.dataSource.query(
      `UPDATE deleted_users SET deleted_at = '2020-01-01' WHERE organization_id = $1 AND id = $2`,
      [api.organizationId, id],
    );
    await runJob(service.app, 'purge deleted users');
    expect(await traces()).toEqual([]);
  });

  it('with a retention of 0, neither', async () => {
    const strict = await startService({ DELETED_USERS_RETENTION_DAYS: '0' });
    const api = await strict.client();
    const { body: user } = await api
      .post('/api/v1/users', { name: 'Quetzalina', email: 'q@brontosaur.example' })
      .set('Idempotency-Key', 'once')
      .expect(201);
    await api.patch(`/api/v1/users/${user.id}`, { name: 'Zyxwvut' }).expect(200);
    await api.delete(`/api/v1/users/${user.id}`).expect(204);
    expect(await traces(strict)).toEqual([]);
    await strict.close();
  });
});

describeOn('postgres', 'a purge that is cut short', () => {
  /** Events that take several statements to empty. */
  const addHistory = ({ organizationId }: Client, id: string) =>
    service.dataSource.query(
      `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, data)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'user.updated', 'api', 'Ada', $2, json_build_object('name', 'Umbriel')
       FROM generate_series(1, 1200) AS n`,
      [organizationId, id],
    );

  it('has erased the history for good, and erases the rest when it is repeated', async () => {
    const api = await service.client();
    const id = await someone(api);
    await addHistory(api, id);
    const holder = service.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query(`SET LOCAL citus.propagate_set_commands = 'local'`); // a cluster waits at the node
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    await holder.query(
      `SELECT FROM idempotency_keys WHERE organization_id = $1 AND user_id = $2 FOR UPDATE`,
      [api.organizationId, id],
    );

    await api.delete(`/api/v1/deleted-users/${id}`).expect(503); // a row that goes last is locked for too long

    await holder.rollbackTransaction();
    await holder.release();
    const tables = new Set(
      (await traces()).map((row) => row.slice(0, row.indexOf(' ')).replace(/^\w+\./, '')),
    );
    expect([...tables].sort()).toEqual(['deleted_users', 'idempotency_keys']);

    await api.delete(`/api/v1/deleted-users/${id}`).expect(204);
    expect(await traces()).toEqual([]);
  });

  it('goes on where it was when the retention is stopped in the middle', async () => {
    const api = await service.client();
    const id = await someone(api);
    await addHistory(api, id);
    await service.dataSource.query(
      `UPDATE deleted_users SET deleted_at = '2020-01-01' WHERE organization_id = $1 AND id = $2`,
      [api.organizationId, id],
    );
    const stop = new AbortController();
    const database = service.app.get(Database);
    const write = database.write.bind(database);
    const spy = jest.spyOn(database, 'write').mockImplementation((...transaction) => {
      if (transaction[0] === api.organizationId) stop.abort(); // after the first transaction
      return write(...transaction);
    });

    await runJob(service.app, 'purge deleted users', stop.signal);

    spy.mockRestore();
    await api.get(`/api/v1/deleted-users/${id}`).expect(200);
    await runJob(service.app, 'purge deleted users');
    expect(await traces()).toEqual([]);
  });
});

// On a cluster, EXPLAIN shows the plans of the shards in another form.
itNotOn('citus', 'empties a long history to its end, and reads each event of it a few times', async () => {
  const EVENTS = 20_000;
  const api = await service.client();
  const { id } = await api.createUser();
  await api.delete(`/api/v1/users/${id}`).expect(204);
  await service.dataSource.query(
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id, sequence, data)
     SELECT $1, 'evt_' || lpad(n::text, 26, '0'), 'user.updated', 'api', 'Ada', $2, 100 + n, '{}'
     FROM generate_series(1, $3::int) AS n`,
    [api.organizationId, id, EVENTS],
  );
  const statements = await statementsOf(service.dataSource, async () => {
    await api.delete(`/api/v1/deleted-users/${id}`).expect(204);
  });
  const full = await service.dataSource.query(
    'SELECT FROM events WHERE organization_id = $1 AND target_id = $2 AND data IS NOT NULL',
    [api.organizationId, id],
  );
  expect(full).toEqual([]);
  await service.dataSource.query(
    `UPDATE events SET data = '{}' WHERE organization_id = $1 AND sequence > 100`,
    [api.organizationId],
  );
  await service.dataSource.query('ANALYZE events'); // autovacuum may have seen all of them empty
  const emptying = statements.filter(({ sql }) => sql.includes('SET data = NULL'));
  expect(emptying.length).toBeGreaterThan(40);
  // Each is found and written once, and read once more at the end.
  expect(await rowsReadBy(service.dataSource, emptying)).toBeLessThan(5 * EVENTS);
});

it('no table has a trace of the deleted users of an organization that has been deleted', async () => {
  const api = await service.client();
  await someone(api);
  const organizations = service.app.get(OrganizationsService);
  await organizations.suspend(api.organizationId);

  await organizations.delete(api.organizationId);

  expect(await traces()).toEqual([]);
});
