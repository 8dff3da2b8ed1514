import { randomUUID } from 'node:crypto';
import { HttpException } from '@nestjs/common';
import { GroupsService } from '../../src/groups/groups.service';
import { batchOf, beginDeletion, isLong, ownedTables } from '../../src/organizations/organization-deletion';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Database } from '../../src/platform/database/database';
import { databaseFailure } from '../../src/platform/database/errors';
import { newId } from '../../src/platform/database/id';
import { query, sql } from '../../src/platform/database/sql';
import { OPERATOR_SHARE } from '../../src/platform/fairness/owners';
import { TokensService } from '../../src/tokens/tokens.service';
import { UsersService } from '../../src/users/users.service';
import { runJob } from '../support/background';
import { aUser, type Client } from '../support/client';
import { describeOn, itNotOn } from '../support/engine';
import { late } from '../support/late';
import { ORGANIZATIONS, useOperator } from '../support/operator';
import { fillOrganization } from '../support/people';
import { start } from '../support/process';
import { OPERATOR_TOKEN } from '../support/routes';
import { startReplica } from '../support/service';

const { service, operator, operatorAt, create, change } = useOperator({
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const organizations = late(() => service.app.get(OrganizationsService));
const aToken = { name: 'late', scopes: ['users:read' as const] };
const JOB = 'finish deletions of organizations';
const path = (id: string) => `${ORGANIZATIONS}/${id}`;

const refusal = (status: number, code: string) =>
  expect.objectContaining({ response: expect.objectContaining({ statusCode: status, code }) });

describe('OrganizationsService', () => {
  it('returns the same record from every method', async () => {
    const created = await organizations.create('Example', { externalId: randomUUID() });
    expect(Object.keys(created)).toEqual(['id', 'name', 'externalId', 'suspended', 'createdAt', 'updatedAt']);
    expect(await organizations.get(created.id)).toEqual(created);
    expect(await organizations.find({ externalId: created.externalId! })).toEqual(created);
    expect(await organizations.list()).toContainEqual(created);
    const renamed = { ...created, name: 'Renamed', updatedAt: expect.any(Date) };
    expect(await organizations.rename(created.id, ' Renamed ')).toEqual(renamed);
    const suspended = { ...renamed, suspended: true };
    expect(await organizations.suspend(created.id)).toEqual(suspended);
    expect((await organizations.page({ externalId: created.externalId! })).data).toEqual([suspended]);
    expect(await organizations.resume(created.id)).toEqual(renamed);
  });

  it('trims an external id wherever it is given, and rejects what cannot be one', async () => {
    const externalId = `  ${randomUUID()} `;
    const { id } = await organizations.create('Example', { externalId });
    expect((await organizations.find({ externalId }))!.id).toBe(id);
    for (const other of ['', 'a\0', undefined, null, 7])
      await expect(organizations.find({ externalId: other as string })).rejects.toEqual(
        refusal(400, 'validation_failed'),
      );
    await expect(organizations.create('Example', { externalId: ' ' })).rejects.toEqual(
      refusal(400, 'validation_failed'),
    );
  });

  it('does not find what does not exist', async () => {
    expect(await organizations.find({ externalId: 'nobody' })).toBeNull();
    for (const id of [newId('org'), 'nobody', 'a\0'])
      for (const call of ['get', 'suspend', 'delete'] as const)
        await expect(organizations[call](id)).rejects.toEqual(refusal(404, 'not_found'));
  });
});

/** The tables of the service, with how many rows they have of an organization. */
async function rowsOf(id: string): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const { tableName, columns } of service.dataSource.entityMetadatas) {
    const column = tableName === 'organizations' ? 'id' : 'organization_id';
    if (!columns.some(({ databaseName }) => databaseName === column)) continue;
    const statement = `SELECT count(*)::integer AS count FROM ${tableName} WHERE ${column} = $1`;
    const [{ count }] = await service.dataSource.query(statement, [id]);
    if (count > 0) rows[tableName] = count;
  }
  return rows;
}

/** A client of an organization that has something of everything. */
async function anOrganization(): Promise<Client> {
  const api = await service.client();
  const { body: user } = await api
    .post('/api/v1/users', { name: 'Ada', email: 'ada@example.com' })
    .set('Idempotency-Key', 'once')
    .expect(201);
  const scim = { userName: 'bob', emails: [{ value: 'bob@example.com' }] };
  const { body: bob } = await api.post('/scim/v2/Users', scim).expect(201);
  const groups = service.app.get(GroupsService);
  await groups.create(api.organizationId, { displayName: 'Sales' }, [user.id, bob.id]);
  await api.delete(`/api/v1/users/${user.id}`).expect(204);
  const { body: webhook } = await api
    .post('/api/v1/webhooks', { url: 'https://example.com', types: ['*'] })
    .expect(201);
  await api.post(`/api/v1/webhooks/${webhook.id}/test`).expect(202);
  await api.post('/v1/tokens', { name: 'Second', scopes: ['users:read'] }).expect(201);
  await api.get('/api/v1/events').expect(200);
  return api;
}

/** Begins a deletion whose database fails once the tokens and some more are gone. */
async function interrupted(): Promise<Client> {
  const api = await anOrganization();
  await fillOrganization(service.dataSource, api.organizationId, 0, 1_200);
  await change(api.organizationId, { suspended: true });
  const database = service.app.get(Database);
  let left = 2; // the tokens, and 1,000 users
  const { execute } = database;
  jest.spyOn(database, 'execute').mockImplementation((...call) => {
    if (call[2] === 'heavy' && left-- <= 0) throw Object.assign(new Error('ended'), { code: '57P01' });
    return execute.apply(database, call);
  });
  await operator.delete(path(api.organizationId)).expect(503);
  jest.restoreAllMocks();
  const rows = await rowsOf(api.organizationId);
  expect(rows).toMatchObject({ organizations: 1, users: expect.any(Number) });
  expect(rows.tokens).toBeUndefined();
  return api;
}

describe('DELETE /v1/organizations/{id}', () => {
  it('requires that the organization is suspended', async () => {
    const api = await anOrganization();
    const before = await rowsOf(api.organizationId);
    for (const id of [api.organizationId, (await create()).id]) {
      const { body } = await operator.delete(path(id)).expect(409);
      expect(body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('Suspend it first') });
      await operator.get(path(id)).expect(200);
    }
    expect(await rowsOf(api.organizationId)).toEqual(before);
    await api.get('/api/v1/users').expect(200);
  });

  it('deletes everything of the organization, and nothing of another one', async () => {
    const [api, other] = [await anOrganization(), await anOrganization()];
    const { organizationId: id } = api;
    const kept = await rowsOf(other.organizationId);
    expect(Object.keys(await rowsOf(id)).length).toBeGreaterThan(11);
    await change(id, { suspended: true });

    await operator.delete(path(id)).expect(204);

    expect(await rowsOf(id)).toEqual({});
    await api.get('/api/v1/users').expect(401);
    await operator.get(path(id)).expect(404);
    await operator.delete(path(id)).expect(404);
    expect(await rowsOf(other.organizationId)).toEqual(kept);
    await other.get('/api/v1/users').expect(200);
  });

  it('deletes what has more rows than a statement in parts', async () => {
    const { id } = await organizations.create('Large');
    for (const [table, insertion] of Object.entries({
      events: `(organization_id, id, sequence, type, source, actor_name, target_id)
        SELECT $1, 'evt_' || n, n, 'user.updated', 'api', 'Ada', 'usr_x' FROM generate_series(1, 2499) AS n`,
      idempotency_keys: `(organization_id, path, key, request_hash)
        SELECT $1, '/api/v1/users', n, '' FROM generate_series(1, 2500) AS n`,
      rate_limit_windows: `(organization_id, token_id, started_ms, hits, counted_ms) VALUES ($1, 'tok_x', 1, 1, 1)`,
      groups: `(organization_id, id, display_name, display_name_key)
        SELECT $1, 'grp_' || n, n, n FROM generate_series(1, 2500) AS n`,
      group_members: `(organization_id, group_id, user_id)
        SELECT $1, 'grp_' || n, 'usr_x' FROM generate_series(1, 2500) AS n`,
      deleted_users: `(organization_id, id, version, email_key, fields)
        SELECT $1, 'usr_' || n, 1, n, '{}' FROM generate_series(1, 2500) AS n`,
    }))
      await service.dataSource.query(`INSERT INTO ${table} ${insertion}`, [id]);
    await organizations.suspend(id); // another event
    const execute = jest.spyOn(service.app.get(Database), 'execute');

    await organizations.delete(id);

    const counts = await Promise.all(execute.mock.results.map(({ value }) => value as Promise<number>));
    execute.mockRestore();
    expect(counts.filter((count) => count >= 500)).toEqual(Array(5).fill([1000, 1000, 500]).flat());
    expect(await rowsOf(id)).toEqual({});
  });

  it('may be asked for by several at once, on several replicas', async () => {
    const { organizationId: id } = await anOrganization();
    await fillOrganization(service.dataSource, id, 0, 1_500);
    await change(id, { suspended: true });
    const replica = await startReplica(service, { OPERATOR_TOKEN });
    try {
      const answers = await Promise.all(
        [operator, operatorAt(replica), operator].map((at) => at.delete(path(id))),
      );
      // One that comes when all is gone is a 404.
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(204);
      expect(statuses.filter((status) => status !== 204 && status !== 404)).toEqual([]);
      expect(await rowsOf(id)).toEqual({});
    } finally {
      await replica.close();
    }
  });
});

describe('a deletion that was interrupted', () => {
  it('cannot be undone, gives no token, and goes on when it is asked for again', async () => {
    const { organizationId: id } = await interrupted();
    const { body } = await operator.patch(path(id), { suspended: false, name: 'x' }).expect(409);
    expect(body.detail).toContain('being deleted');
    expect((await operator.get(path(id)).expect(200)).body).toMatchObject({ name: 'Test', suspended: true });
    const refused = await operator.post(`${path(id)}/tokens`, aToken).expect(409);
    expect(refused.body).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('being deleted'),
    });
    expect((await rowsOf(id)).tokens).toBeUndefined();
    await operator.delete(path(id)).expect(204);
    expect(await rowsOf(id)).toEqual({});
  });

  it('keeps a token that is still there from being rotated', async () => {
    const { organizationId: id } = await anOrganization();
    const tokens = service.app.get(TokensService);
    const { token } = await tokens.create(id, aToken);
    await change(id, { suspended: true });
    await beginDeletion(service.app.get(Database), id);
    for (const call of [tokens.create(id, aToken), tokens.rotate(id, token.id)])
      await expect(call).rejects.toMatchObject({ status: 409 });
    await operator.delete(path(id)).expect(204);
  });

  it('is finished in the background', async () => {
    const [{ organizationId: id }, other] = [await interrupted(), await anOrganization()];
    const kept = await rowsOf(other.organizationId);
    await runJob(service.app, JOB);
    expect(await rowsOf(id)).toEqual({});
    await change(other.organizationId, { suspended: true });
    await runJob(service.app, JOB); // one that is only suspended stays
    expect(Object.keys(await rowsOf(other.organizationId))).toEqual(Object.keys(kept));
  });
});

describe('while the application goes on', () => {
  const statusOf = (error: unknown): number => {
    if (error instanceof HttpException) return error.getStatus();
    if (databaseFailure(error) === 'unavailable') return 503;
    throw error;
  };

  it('a deletion ends all the same, and no user is left behind', async () => {
    const { organizationId: id } = await anOrganization();
    await fillOrganization(service.dataSource, id, 0, 3_000);
    await change(id, { suspended: true });
    const users = service.app.get(UsersService);
    let isOver = false;
    const outcomes = new Set<number>();
    const write = async () => {
      while (!isOver)
        await users.create(id, aUser()).then(
          () => outcomes.add(201),
          (error: unknown) => outcomes.add(statusOf(error)),
        );
    };
    const writing = Promise.all(Array.from({ length: 4 }, write));
    const database = service.app.get(Database);
    const transactions = jest.spyOn(database, 'write');
    await operator.delete(path(id)).expect(204);
    const ofOperator = transactions.mock.calls.filter(([holder]) => holder === OPERATOR_SHARE);
    transactions.mockRestore();
    isOver = true;
    await writing;
    expect([...outcomes].filter((status) => ![201, 404, 503].includes(status))).toEqual([]);
    expect(await rowsOf(id)).toEqual({});
    expect(ofOperator).toHaveLength(1); // and not again after users that came too late
  });
});

describe('each part', () => {
  itNotOn('citus', 'reads the rows that it deletes from an index', async () => {
    const { dataSource } = service;
    const database = service.app.get(Database);
    for (const table of ownedTables(database).filter(isLong))
      await dataSource.transaction(async (manager) => {
        // Only for the order would the planner take an index.
        await manager.query('SET LOCAL random_page_cost = 1000000');
        await manager.query('SET LOCAL enable_sort = off');
        const plan = await query(manager, sql`EXPLAIN ${batchOf(table, 'org_x')}`);
        const text = JSON.stringify(plan);
        expect([table.tableName, text]).toEqual([
          table.tableName,
          expect.stringMatching(/Index Cond: \(organization_id = /),
        ]);
        expect([table.tableName, text]).toEqual([table.tableName, expect.not.stringMatching(/"(->| )*Sort/)]);
      });
  });
});

describeOn('postgres', 'a process that is killed while it deletes', () => {
  it('leaves an organization that others finish', async () => {
    const { organizationId: id } = await service.client();
    await fillOrganization(service.dataSource, id, 0, 1_500);
    await change(id, { suspended: true });
    const left = async () => (await rowsOf(id)).users ?? 0;
    const process = await start({ ...service.env, OPERATOR_TOKEN });
    // The deletion cannot end while this transaction holds a user.
    const holder = service.dataSource.createQueryRunner();
    try {
      await holder.startTransaction();
      await holder.query('SELECT FROM users WHERE organization_id = $1 LIMIT 1 FOR UPDATE', [id]);
      const answer = operatorAt(process)
        .delete(path(id))
        .catch(() => 'broken');
      while ((await left()) > 1);
      process.process.kill('SIGKILL');
      await answer;
      await process.exit;
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }

    expect(await left()).toBe(1);
    expect((await rowsOf(id)).tokens).toBeUndefined();
    await operator.patch(path(id), { suspended: false }).expect(409);
    await runJob(service.app, JOB);
    expect(await rowsOf(id)).toEqual({});
  });
});

describe('a table of a host', () => {
  itNotOn(
    'citus',
    'that refers to it once the deletion has begun, is a 409 until it no longer does',
    async () => {
      const { organizationId: id } = await interrupted();
      const [{ userId }] = await service.dataSource.query(
        'SELECT id AS "userId" FROM users WHERE organization_id = $1 LIMIT 1',
        [id],
      );
      await service.dataSource.query(
        'CREATE TABLE late (user_id text COLLATE "C", id text COLLATE "C", FOREIGN KEY (id, user_id) REFERENCES users (organization_id, id))',
      );
      await service.dataSource.query('INSERT INTO late VALUES ($1, $2)', [userId, id]);
      for (let i = 0; i < 2; i++) {
        const { body } = await operator.delete(path(id)).expect(409);
        expect(body.detail).toContain('late');
      }
      await service.dataSource.query('DROP TABLE late');
      await operator.delete(path(id)).expect(204);
      expect(await rowsOf(id)).toEqual({});
    },
  );

  itNotOn('citus', 'prevents the deletion before anything is gone', async () => {
    const { organizationId: id, createUser } = await service.client();
    const { id: userId } = await createUser();
    await organizations.suspend(id);
    const before = await rowsOf(id);
    const { dataSource } = service;
    for (const [columns, values] of [
      ['organization_id text COLLATE "C" REFERENCES organizations (id)', [id]],
      [
        `user_id text COLLATE "C", organization_id text COLLATE "C",
         FOREIGN KEY (user_id, organization_id) REFERENCES users (id, organization_id)`,
        [userId, id],
      ],
    ] as const) {
      await dataSource.query(`CREATE TABLE "the Invoices" (${columns})`);
      const places = values.map((_, i) => `$${i + 1}`).join();
      await dataSource.query(`INSERT INTO "the Invoices" VALUES (${places})`, [...values]);

      const failure = await organizations.delete(id).catch((error: unknown) => error);
      expect(failure).toEqual(refusal(409, 'conflict'));
      expect((failure as Error).message).toContain('"the Invoices"');
      expect(await rowsOf(id)).toEqual(before);
      expect(await organizations.resume(id)).toMatchObject({ suspended: false });
      await organizations.suspend(id);
      await dataSource.query('DROP TABLE "the Invoices"');
      before.events += 2;
    }
    await organizations.delete(id);
    expect(await rowsOf(id)).toEqual({});
  });
});
