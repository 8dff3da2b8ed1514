import { randomUUID } from 'node:crypto';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Database } from '../../src/platform/database/database';
import { newId } from '../../src/platform/database/id';
import { startService, type TestService } from '../support/service';

let service: TestService;
let organizations: OrganizationsService;
beforeAll(async () => {
  service = await startService();
  organizations = service.app.get(OrganizationsService);
});
afterAll(() => service.close());

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

  it('gives an external id to one organization, however many are created at once', async () => {
    const externalId = randomUUID();
    const creates = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) => organizations.create(`Example ${n}`, { externalId })),
    );
    expect(creates.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const [{ reason }] = creates.filter((result) => result.status === 'rejected');
    expect(reason.getResponse()).toMatchObject({
      statusCode: 409,
      errors: [{ field: 'externalId', code: 'taken' }],
    });
    await expect(organizations.create('Example', { externalId: ' ' })).rejects.toEqual(
      refusal(400, 'validation_failed'),
    );
  });

  it('trims an external id wherever it is given, and rejects what cannot be one', async () => {
    const externalId = `  ${randomUUID()} `;
    const { id } = await organizations.create('Example', { externalId });
    expect((await organizations.find({ externalId }))!.id).toBe(id);
    for (const other of ['', 'a\0', undefined, null, 7])
      await expect(organizations.find({ externalId: other as string })).rejects.toEqual(
        refusal(400, 'validation_failed'),
      );
  });

  it('does not find what does not exist', async () => {
    expect(await organizations.find({ externalId: 'nobody' })).toBeNull();
    for (const id of [newId('org'), 'nobody', 'a\0']) {
      await expect(organizations.get(id)).rejects.toEqual(refusal(404, 'not_found'));
      await expect(organizations.rename(id, 'x')).rejects.toEqual(refusal(404, 'not_found'));
      await expect(organizations.suspend(id)).rejects.toEqual(refusal(404, 'not_found'));
      await expect(organizations.delete(id)).rejects.toEqual(refusal(404, 'not_found'));
    }
  });

  it('deletes a history that is longer than a statement', async () => {
    const { id } = await organizations.create('Long');
    await service.dataSource.query(
      `INSERT INTO events (organization_id, id, sequence, type, source, actor_name, target_id)
       SELECT $1, 'evt_' || n, n, 'user.updated', 'api', 'Ada', 'usr_x' FROM generate_series(1, 2499) AS n`,
      [id],
    );
    await service.dataSource.query(
      `INSERT INTO idempotency_keys (organization_id, path, key, request_hash)
       SELECT $1, '/api/v1/users', n, '' FROM generate_series(1, 2500) AS n`,
      [id],
    );
    await service.dataSource.query(
      `INSERT INTO rate_limit_windows (organization_id, token_id, started_ms, hits, counted_ms) VALUES ($1, 'tok_x', 1, 1, 1)`,
      [id],
    );
    await organizations.suspend(id); // another event
    const database = service.app.get(Database);
    const execute = jest.spyOn(database, 'execute');

    await organizations.delete(id);

    const counts = await Promise.all(execute.mock.results.map(({ value }) => value as Promise<number>));
    execute.mockRestore();
    expect(counts.filter((count) => count >= 500)).toEqual([1000, 1000, 500, 1000, 1000, 500]);
    for (const table of ['events', 'idempotency_keys', 'rate_limit_windows'])
      expect(
        await service.dataSource.query(`SELECT FROM ${table} WHERE organization_id = $1`, [id]),
      ).toHaveLength(0);
  });

  it('deletes groups, members and deleted users in parts', async () => {
    const { id } = await organizations.create('Large');
    for (const insertion of [
      `INSERT INTO groups (organization_id, id, display_name, display_name_key) SELECT $1, 'grp_' || n, n, n FROM generate_series(1, 2500) AS n`,
      `INSERT INTO group_members (organization_id, group_id, user_id) SELECT $1, 'grp_' || n, 'usr_x' FROM generate_series(1, 2500) AS n`,
      `INSERT INTO deleted_users (organization_id, id, version, email_key, fields) SELECT $1, 'usr_' || n, 1, n, '{}' FROM generate_series(1, 2500) AS n`,
    ])
      await service.dataSource.query(insertion, [id]);
    await organizations.suspend(id);
    const database = service.app.get(Database);
    const execute = jest.spyOn(database, 'execute');

    await organizations.delete(id);

    const counts = await Promise.all(execute.mock.results.map(({ value }) => value as Promise<number>));
    execute.mockRestore();
    expect(counts.filter((count) => count >= 500)).toEqual(Array(3).fill([1000, 1000, 500]).flat());
    for (const table of ['groups', 'group_members', 'deleted_users', 'organizations'])
      expect(
        await service.dataSource.query(
          `SELECT FROM ${table} WHERE ${table === 'organizations' ? 'id' : 'organization_id'} = $1`,
          [id],
        ),
      ).toHaveLength(0);
  });

  it('deletes only a suspended organization, whatever it has', async () => {
    const api = await service.client();
    await api.createUser();
    const empty = await organizations.create('Empty');
    const eventsOf = () =>
      service.dataSource.query('SELECT id FROM events WHERE organization_id = $1', [api.organizationId]);
    const before = await eventsOf();
    expect(before).not.toHaveLength(0);
    for (const id of [api.organizationId, empty.id])
      await expect(organizations.delete(id)).rejects.toThrow('Suspend it first');
    expect(await eventsOf()).toEqual(before);
    expect(await organizations.get(empty.id)).toEqual(empty);
  });
});
