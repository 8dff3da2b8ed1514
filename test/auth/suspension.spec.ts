import { OrganizationsService } from '../../src/organizations/organizations.service';
import { systemCaller } from '../../src/platform/http/caller';
import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { UsersService } from '../../src/users/users.service';
import { Database } from '../../src/platform/database/database';
import {
  ACME as AN_ORGANIZATION,
  expectFailure,
  GLOBEX as ANOTHER,
  SUBJECT,
  useAssertions,
} from '../support/assertions';
import { runJob } from '../support/background';
import { formOf, requestToken } from '../support/children';
import { aUser, Client } from '../support/client';
import { describeOn } from '../support/engine';
import { ORGANIZATIONS, useOperator } from '../support/operator';
import { failure, OPERATOR_TOKEN, routes, served, withUnknownId } from '../support/routes';
import { type Replica, startReplica, type TestService } from '../support/service';
import { ACME, expectRefused, GLOBEX, useSignIn } from '../support/sign-in';
import { until } from '../support/until';

const { service, operator, operatorAt, create, change } = useOperator({
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const organizationsOf = ({ app }: Pick<TestService, 'app'>) => app.get(OrganizationsService);
const organizations = () => organizationsOf(service);

describe('while an organization is suspended', () => {
  let suspended: Client;
  let reader: Client;
  beforeAll(async () => {
    suspended = await service.client();
    reader = await service.client({ organizationId: suspended.organizationId, scopes: ['users:read'] });
    await change(suspended.organizationId, { suspended: true });
  });

  it('every route is a 403, whatever the scopes', async () => {
    for (const { method, path } of routes)
      for (const api of [suspended, reader]) {
        const { status, body, headers } = await api.send(served(method), withUnknownId(path), {});
        const isCounted = headers['x-ratelimit-remaining'] !== undefined;
        const answer = { status, body, challenge: headers['www-authenticate'], isCounted };
        const expected = {
          status: 403,
          body: expect.objectContaining({
            ...failure(path, 403, 'organization_suspended'),
            detail: expect.stringContaining('suspended'),
          }),
          challenge: undefined,
          isCounted: true,
        };
        expect([method, path, answer]).toEqual([method, path, expected]);
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

  it('the operator still makes tokens, which work as soon as it is resumed', async () => {
    const { organizationId: id } = await service.client();
    await change(id, { suspended: true });
    const { body } = await operator
      .post(`${ORGANIZATIONS}/${id}/tokens`, { name: 'Later', scopes: ['admin'] })
      .expect(201);
    const later = service.anonymous().withValue(body.token);
    await later.get('/api/v1/users').expect(403);
    await change(id, { suspended: false });
    await later.get('/api/v1/users').expect(200);
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
    await (await service.client()).get('/api/v1/users').expect(200); // others notice nothing
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
      for (const [here, there] of [replicas, replicas.toReversed()]) {
        await change(api.organizationId, { suspended: true }, operatorAt(here));
        await send(there).expect(403);
        await send(here).expect(403);
        await change(api.organizationId, { suspended: false }, operatorAt(there));
        await send(here).expect(200);
        await send(there).expect(200);
      }
    } finally {
      // One after the other: each locks the row of the token, to write when it was used.
      for (const replica of replicas) await replica.close();
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
      onBehalfOf: null,
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

describe('exchanges of tokens and assertions', () => {
  const { service, exchanged, clientWith } = useAssertions((issuer) => [
    `${issuer} sub=${SUBJECT} -> ${AN_ORGANIZATION} users:read`,
    `${issuer} sub=several -> ${AN_ORGANIZATION} users:read`,
    `${issuer} sub=several -> ${ANOTHER} users:read`,
  ]);

  it('a client of a suspended organization is refused, and its children too', async () => {
    const api = await service.client();
    const { body } = await requestToken(service, formOf(api));
    const child = new Client(service.url, { value: body.access_token });
    await child.get('/api/v1/users').expect(200);

    await organizationsOf(service).suspend(api.organizationId);
    expectFailure(await requestToken(service, formOf(api)), 'invalid_client', /suspended/);
    const refused = await child.get('/api/v1/users').expect(403);
    expect(refused.body.code).toBe('organization_suspended');

    await organizationsOf(service).resume(api.organizationId);
    expect((await requestToken(service, formOf(api))).status).toBe(200);
    await child.get('/api/v1/users').expect(200);
  });

  it('an assertion for a suspended organization is refused, and makes no token', async () => {
    const client = clientWith(await exchanged());
    await client.get('/api/v1/users').expect(200);
    const count = async () =>
      (await service.dataSource.query('SELECT id FROM tokens WHERE organization_id = $1', [AN_ORGANIZATION]))
        .length;
    const before = await count();

    await organizationsOf(service).suspend(AN_ORGANIZATION);
    expectFailure(await exchanged(), 'invalid_grant', /suspended/);
    expect(await count()).toBe(before);
    await client.get('/api/v1/users').expect(403);
    // It may still have a token of another organization.
    const several = { sub: 'several' };
    expectFailure(
      await exchanged(several, { organization_id: AN_ORGANIZATION }),
      'invalid_grant',
      /suspended/,
    );
    expect((await exchanged(several, { organization_id: ANOTHER })).status).toBe(200);

    await organizationsOf(service).resume(AN_ORGANIZATION);
    expect((await exchanged()).status).toBe(200);
  });
});

describe('sign-ins', () => {
  const { issuer, service, browse, session } = useSignIn();
  afterEach(async () => {
    for (const id of [ACME, GLOBEX]) await organizationsOf(service).resume(id);
  });

  it('a person of a suspended organization gets a page that says so', async () => {
    await organizationsOf(service).suspend(ACME);
    const browser = browse();
    const page = await expectRefused(browser, await browser.signIn(), 403);
    expect(page).toContain('<h1>Your organization is suspended</h1>');
    expect(page).toContain('ums organizations resume');

    await organizationsOf(service).resume(ACME);
    await session();
  });

  it('nobody gets a token of an organization that was suspended during the sign-in', async () => {
    const browser = browse();
    expect((await browser.signIn()).status).toBe(303);
    await organizationsOf(service).suspend(ACME);
    const refused = await browser.fetchSession();
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'organization_suspended' });

    await organizationsOf(service).resume(ACME);
    expect((await browser.fetchSession()).status).toBe(201); // the sign-in has not been used up
  });

  it('a person of several organizations chooses among those that are not suspended', async () => {
    issuer.claims = { groups: ['Admins', 'Globex'] };
    await organizationsOf(service).suspend(GLOBEX);
    const browser = browse();
    expect((await browser.signIn()).status).toBe(303);
    const choices = await browser.fetchSession();
    expect([choices.status, await choices.json()]).toEqual([
      200,
      { organizations: [{ id: ACME, name: 'Acme' }] },
    ]);
    expect((await browser.fetchSession({ organizationId: GLOBEX })).status).toBe(403);
    expect((await browser.fetchSession({ organizationId: ACME })).status).toBe(201);

    await organizationsOf(service).suspend(ACME);
    const other = browse();
    await expectRefused(other, await other.signIn(), 403);
  });
});
