import { OrganizationsService } from '../../src/organizations/organizations.service';
import { systemCaller } from '../../src/platform/http/caller';
import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { UsersService } from '../../src/users/users.service';
import { Database } from '../../src/platform/database/database';
import { runJob } from '../support/background';
import { aUser, Client } from '../support/client';
import { describeOn } from '../support/engine';
import { ORGANIZATIONS, useOperator } from '../support/operator';
import { failure, OPERATOR_TOKEN, routes, served, withUnknownId } from '../support/routes';
import { type Replica, startReplica } from '../support/service';
import { until } from '../support/until';

const { service, operator, operatorAt, create, change } = useOperator({
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const organizations = () => service.app.get(OrganizationsService);

describe('while an organization is suspended', () => {
  let suspended: Client;
  let reader: Client;
  beforeAll(async () => {
    suspended = await service.client();
    reader = await service.client({ organizationId: suspended.organizationId, scopes: ['users:read'] });
    await change(suspended.organizationId, { suspended: true });
  });

  it.each(routes)('$method $path is a 403, whatever the scopes', async ({ method, path }) => {
    for (const api of [suspended, reader]) {
      const { body, headers } = await api.send(served(method), withUnknownId(path), {}).expect(403);
      expect(body).toMatchObject({
        ...failure(path, 403, 'organization_suspended'),
        detail: expect.stringContaining('suspended'),
      });
      expect(headers['www-authenticate']).toBeUndefined();
      expect(headers['x-ratelimit-remaining']).toBeDefined();
    }
  });

  it('a token that is not valid is still a 401, and one over its limit a 429', async () => {
    const { organizationId } = suspended;
    const [revoked, limited] = await Promise.all(
      ['Revoked', 'Limited'].map(async (name) => {
        const input = { name, scopes: ['admin'], rateLimit: 1 };
        const path = `${ORGANIZATIONS}/${organizationId}/tokens`;
        const { id: tokenId, token: value } = (await operator.post(path, input).expect(201)).body;
        return new Client(service.url, { organizationId, tokenId, value });
      }),
    );
    await operator.delete(`${ORGANIZATIONS}/${organizationId}/tokens/${revoked.tokenId}`).expect(204);
    await revoked.get('/api/v1/users').expect(401);
    await limited.get('/api/v1/users').expect(403);
    await limited.get('/api/v1/users').expect(429);
  });

  it('the log names the reason', async () => {
    await suspended.get('/api/v1/users').set('X-Request-ID', 'suspended-1').expect(403);
    const line = await until(() => service.logs.find((text) => text.includes('suspended-1')));
    expect(JSON.parse(line)).toMatchObject({
      refusal: 'organization_suspended',
      status: 403,
      organizationId: suspended.organizationId,
    });
  });

  it('calls of the application go on, and so does the work in the background', async () => {
    const { organizationId } = suspended;
    const users = service.app.get(UsersService);
    const { id } = await users.create(organizationId, aUser());
    await users.delete(organizationId, id);
    await service.dataSource.query(
      `UPDATE deleted_users SET deleted_at = now() - interval '31 days' WHERE id = $1`,
      [id],
    );
    await runJob(service.app, 'purge deleted users');
    const { data } = await service.app.get(DeletedUsersService).list(organizationId);
    expect(data).toEqual([]);
  });

  it('other organizations notice nothing', async () => {
    await (await service.client()).get('/api/v1/users').expect(200);
  });
});

describeOn('postgres', 'an organization that has used up its share of the connections', () => {
  /** Of so many, a cluster has some on the node that has the operator's row. */
  const ORGANIZATIONS_TRIED = 8;

  /** Sends the request once: the client of the tests would repeat it after a 503. */
  const suspend = (id: string) =>
    fetch(`${service.url}${ORGANIZATIONS}/${id}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ suspended: true }),
    });

  it('cannot keep the operator from suspending it', async () => {
    const database = service.app.get(Database);
    for (let n = 0; n < ORGANIZATIONS_TRIED; n++) {
      const { organizationId } = await service.client();
      let release: () => void = () => {};
      const released = new Promise<void>((done) => (release = done));
      const held = Array.from({ length: 50 }, () => database.write(organizationId, () => released));
      const waiting = Promise.allSettled(held);
      try {
        expect((await suspend(organizationId)).status).toBe(200);
        await operator.get(`${ORGANIZATIONS}/${organizationId}`).expect(200);
      } finally {
        release();
      }
      expect((await waiting).every(({ status }) => status === 'fulfilled')).toBe(true);
    }
  });
});

describe('suspending and resuming', () => {
  it('take effect with the next request, on every replica', async () => {
    const env = { OPERATOR_TOKEN };
    const replicas: Replica[] = await Promise.all([startReplica(service, env), startReplica(service, env)]);
    const api = await service.client();
    const send = (replica: Replica) =>
      new Client(replica.url, { value: api.tokenValue }).get('/api/v1/users');
    try {
      for (let i = 0; i < 6; i++) {
        const [here, there] = i % 2 === 0 ? replicas : replicas.toReversed();
        await change(api.organizationId, { suspended: true }, operatorAt(here));
        await send(there).expect(403);
        await send(here).expect(403);
        await change(api.organizationId, { suspended: false }, operatorAt(there));
        await send(here).expect(200);
        await send(there).expect(200);
      }
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });

  it('are events with the record, by whoever asked', async () => {
    const api = await service.client();
    const { organizationId: id } = api;
    const patch = (suspended: boolean, requestId: string) =>
      operator
        .patch(`${ORGANIZATIONS}/${id}`, { suspended, name: 'Renamed' })
        .set('X-Request-ID', requestId)
        .expect(200);
    const { body: first } = await patch(true, 'req-1');
    await patch(true, 'req-2'); // changes nothing
    const { body: second } = await patch(false, 'req-3');
    const third = await organizations().suspend(id);
    const fourth = await organizations().resume(systemCaller(id, 'cli', 'ums organizations resume'));
    await organizations().rename(id, 'Renamed again'); // no event

    const { body } = await api.get(`/api/v1/events?target=${id}`).expect(200);
    const event = (
      type: string,
      source: string,
      name: string,
      organization: object,
      requestId: string | null,
    ) => ({
      id: expect.stringMatching(/^evt_/),
      sequence: expect.any(Number),
      occurredAt: expect.any(String),
      type: `organization.${type}`,
      source,
      actor: { type: 'system', id: null, name },
      target: { type: 'organization', id },
      requestId,
      data: { organization: JSON.parse(JSON.stringify(organization)) },
    });
    expect(body.data).toEqual([
      event('suspended', 'api', 'operator', first, 'req-1'),
      event('resumed', 'api', 'operator', second, 'req-3'),
      event('suspended', 'application', 'application', third, null),
      event('resumed', 'cli', 'ums organizations resume', fourth, null),
    ]);
    expect(first).toMatchObject({ suspended: true, name: 'Renamed' });
    expect((await api.get('/api/v1/events?type=organization.resumed').expect(200)).body.data).toHaveLength(2);
  });

  it('are one event each, however many ask at once', async () => {
    const api = await service.client();
    await Promise.all(Array.from({ length: 8 }, () => change(api.organizationId, { suspended: true })));
    await change(api.organizationId, { suspended: false });
    const { body } = await api.get(`/api/v1/events?target=${api.organizationId}`).expect(200);
    expect(body.data).toHaveLength(2);
  });

  it('keep everything', async () => {
    const api = await service.client();
    const user = await api.createUser();
    await change(api.organizationId, { suspended: true });
    await change(api.organizationId, { suspended: false });
    expect((await api.get(`/api/v1/users/${user.id}`).expect(200)).body).toEqual(user);
  });

  it('let a token that was created meanwhile work afterwards', async () => {
    const { id } = await create();
    await change(id, { suspended: true });
    const { body } = await operator
      .post(`${ORGANIZATIONS}/${id}/tokens`, { name: 'Early', scopes: ['admin'] })
      .expect(201);
    const api = new Client(service.url, { value: body.token });
    await api.get('/api/v1/users').expect(403);
    await change(id, { suspended: false });
    await api.get('/api/v1/users').expect(200);
  });

  it('are committed or rolled back with the transaction of a host', async () => {
    const { id } = await create();
    await expect(
      service.dataSource.transaction(async (manager) => {
        await organizations().within(manager).suspend(id);
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    expect(await organizations().get(id)).toMatchObject({ suspended: false });
  });
});
