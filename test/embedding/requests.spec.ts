/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import request from 'supertest';
import { OrganizationsService, TokenGuard, TokensService } from '../../src';
import { Client } from '../support/client';
import { clientOf, useHost, usePlainHost } from '../support/embedding';
import { AuditsController } from '../support/host';
import { exchange } from '../support/socket';

const plain = usePlainHost();
const { host, records } = useHost();

const users = '/backend/internal/api/v1/users';

describe('the service in an application', () => {
  it('serves users, with the paths of the application in Location and Link', async () => {
    const api = await clientOf(host);
    const { body: ada, headers } = await api
      .post(users, { name: 'Ada', email: 'ada@example.com' })
      .expect(201);
    expect(headers.location).toBe(`${users}/${ada.id}`);
    await api.get(headers.location).expect(200, ada);
    await api.post(users, { name: 'Bob', email: 'bob@example.com' }).expect(201);

    const first = await api.get(`${users}?limit=1&sort=name`).expect(200);
    expect(first.body.data).toEqual([ada]);
    const next = /^<(.*)>; rel="next"$/.exec(first.headers.link)![1];
    expect(next).toMatch(`${users}?`);
    expect((await api.get(next).expect(200)).body.data).toMatchObject([{ name: 'Bob' }]);

    const { body: changed } = await api.patch(`${users}/${ada.id}`, { name: 'Ada Lovelace' }).expect(200);
    expect((await api.get(`${users}/search?q=lovelase`).expect(200)).body.data).toEqual([changed]);
    await api.delete(`${users}/${ada.id}`).expect(204);
    await api.get('/backend/internal/v1/tokens/current').expect(200);
    await api.get('/backend/internal/api/v1/tokens').expect(200);
  });

  it('answers every failure with the error body of the contract', async () => {
    const api = await clientOf(host);
    for (const [method, path, status, detail] of [
      ['get', '', 401, 'Send a token: Authorization: Bearer <token>.'],
      ['get', '/nobody', 404, 'There is no such user.'],
      ['get', '/%zz', 404, 'There is no such route.'],
      ['get', '/a/b/c', 404, 'There is no such route.'],
      ['get', '/', 404, `There is no such route. The id is missing in ${users}/{id}.`],
      ['put', '', 405, 'Method not allowed. Use GET, HEAD, or POST.'],
      ['get', '?nonsense=1', 400, '1 field is invalid.'],
    ] as const) {
      const { body, headers } = await (status === 401 ? new Client(host.url) : api).send(
        method,
        users + path,
      );
      expect(body).toMatchObject({ status, detail, requestId: headers['x-request-id'] });
      expect(headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        'cache-control': 'no-store',
        'access-control-allow-origin': 'https://host.example',
      });
      expect(headers.etag).toBeUndefined();
    }
  });

  it('merges a patch, whose type no parser of the application knows', async () => {
    const api = await clientOf(host);
    const user = { name: 'Ada', email: 'merged@example.com', metadata: { plan: 'pro', trial: true } };
    const { body: ada } = await api.post(users, user).expect(201);
    const { body } = await api
      .patch(`${users}/${ada.id}`)
      .set('Content-Type', 'application/merge-patch+json')
      .send('{"metadata":{"trial":null,"seats":5}}')
      .expect(200);
    expect(body.metadata).toEqual({ plan: 'pro', seats: 5 });
  });

  describe('with a body that the application has parsed', () => {
    it('answers a form that the parser of the application refuses as its own', async () => {
      const { status, body, headers } = await request(host.url)
        .post('/backend/internal/oauth/token')
        .type('form')
        .send(`a${'[b]'.repeat(40)}=1`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(headers['x-request-id']).toBeDefined();
    });

    const user = { name: 'Ada', email: 'ada@example.com' };
    it('answers as the service alone, and tells nobody about it who may not send it', async () => {
      const bodyOf = (name: string) => JSON.stringify({ ...user, name });
      for (const [status, code, type, text] of [
        [415, 'unsupported_media_type', 'application/x-www-form-urlencoded', 'name=Ada&email=a@example.com'],
        [415, 'unsupported_media_type', 'text/plain', 'x'],
        [400, 'malformed_json', 'application/json', '{'],
        [400, 'malformed_json', 'application/json', ''],
        [413, 'payload_too_large', 'application/json', bodyOf('x'.repeat(80 * 1024))],
        [413, 'payload_too_large', 'application/json', bodyOf('x'.repeat(120 * 1024))],
        [400, 'validation_failed', 'application/json', JSON.stringify({ ...user, more: 1 })],
        [400, 'validation_failed', 'application/json', '[1]'],
      ] as const) {
        const send = (api: Client) => api.post(users).set('Content-Type', type).send(text);
        expect((await send(await clientOf(host))).body).toMatchObject({ status, code });
        await send(new Client(host.url)).expect(401);
        await send(await clientOf(host, ['users:read'])).expect(403);
      }
    });

    it('says where JSON breaks off that the parser of the application refuses', async () => {
      const api = await clientOf(host);
      for (const [text, detail] of [
        ['{"name":\n NaN}', 'The request body is not valid JSON at line 2, column 2.'],
        ['{"name":', 'The request body is not valid JSON: it ends too early, at line 1, column 9.'],
        ['7', 'The request body is not valid JSON.'], // it is, but the parser takes objects and arrays alone
        ['', 'The request body is empty.'],
      ]) {
        const { body } = await api.post(users).set('Content-Type', 'application/json').send(text);
        expect([text, body.detail]).toEqual([text, detail]);
      }
    });
  });

  it('serves the dashboard, with its own headers', async () => {
    const page = await request(host.url).get('/backend/internal/dashboard').expect(200);
    expect(page.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self';/),
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
    });
    const [, script] = /src="\.\/(.*?)"/.exec(page.text)!;
    await request(host.url).get(`/backend/internal/${script}`).expect(200);
    const { body } = await request(host.url).get('/backend/internal/dashboard/nothing.js').expect(404);
    expect(body).toMatchObject({ code: 'not_found', detail: 'There is no such route.' });
  });

  it('limits requests by its own throttler, and sends its headers', async () => {
    const api = await clientOf(host);
    for (let i = 0; i < 50; i++) await api.get(`${users}/nobody`).expect(404);
    const { headers } = await api.get(`${users}/nobody`).expect(429);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '0' });
  });

  it('passes a record of each request to onRequest', async () => {
    const api = await clientOf(host);
    const { headers } = await api.get(`${users}/nobody`).expect(404);
    expect(records.find(({ requestId }) => requestId === headers['x-request-id'])).toEqual({
      requestId: headers['x-request-id'],
      method: 'GET',
      route: '/api/v1/users/:id',
      status: 404,
      ms: expect.any(Number),
      tokenId: api.tokenId,
      organizationId: api.organizationId,
    });
  });
});

it.each([
  [
    'the service',
    'internal/api/v1/users',
    'application/json',
    '{"name":"Ada","email":"absolute@example.com"}',
    /\/backend\/internal\/api\/v1\/users\/usr_\w{26}/,
    'api',
  ],
  [
    'SCIM',
    'internal/scim/v2/Users',
    'application/scim+json',
    '{"userName":"absolute@example.com"}',
    /http:\/\/x\/backend\/internal\/scim\/v2\/Users\/usr_\w{26}/,
    'scim',
  ],
])(
  'a target in absolute form is a path to %s, whatever precedes it',
  async (_, path, type, body, location, source) => {
    const api = await clientOf(host);
    const answer = await exchange(
      host.url,
      `POST http://x:99999/backend/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.tokenValue}\r\n` +
        `Connection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 201 [^]*^Location: ${location.source}\r$`, 'm'));
    const { body: events } = await api.get('/backend/internal/api/v1/events?order=desc&limit=1').expect(200);
    expect(events.data[0]).toMatchObject({ type: 'user.created', source });
  },
);

it('an onRequest that throws or rejects changes no response, and is logged', async () => {
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  try {
    const api = await clientOf(host);
    const { headers } = await api.get(`${users}/search?q=nobody`).expect(200);
    await api.get('/backend/internal/v1/tokens').expect(200);
    await request(host.url).get(`${users}/search`).expect(401);
    await api.get(`${users}/nobody`).expect(404);
    const logged = error.mock.calls.map(([entry]) => entry);
    expect(logged).toContainEqual({
      requestId: headers['x-request-id'],
      error: expect.objectContaining({ message: 'thrown by onRequest' }),
    });
    expect(JSON.stringify(logged)).toContain('rejected by onRequest');
  } finally {
    error.mockRestore();
  }
});

describe('a route of the application that declares scopes', () => {
  const path = '/backend/v1/reports';

  it('takes the scopes of the method rather than those of the class, and counts a request once', async () => {
    const reader = await clientOf(host, ['users:read']);
    const { body, headers } = await reader.get('/backend/v1/audits').expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('49');
    expect(body.data).toEqual({
      organizationId: reader.organizationId,
      actor: { type: 'token', id: reader.tokenId, name: 'Test' },
      source: 'api',
      requestId: expect.any(String),
    });
    await reader.get('/backend/v1/audits/all').expect(403);
  });

  it("refuses the tokens of a suspended organization on the application's own routes", async () => {
    const reader = await clientOf(host, ['users:read']);
    const organizations = host.app.get(OrganizationsService);
    await organizations.suspend(reader.organizationId);
    for (const path of ['/backend/v1/audits', '/backend/v1/reports']) await reader.get(path).expect(403);
    await organizations.resume(reader.organizationId);
    await reader.get('/backend/v1/audits').expect(200);
  });

  it('requires a token with the scopes, counts a request once, and fails like the rest of the application', async () => {
    const reader = await clientOf(host, ['users:read']);
    const { body, headers } = await reader.get(path).expect(200);
    expect(body).toEqual({ data: { organizationId: reader.organizationId } });
    expect(headers['x-ratelimit-remaining']).toBe('49');
    await reader.get(`${path}/mine`).expect(200, { data: { id: reader.tokenId } });
    const writer = await clientOf(host, ['users:write']);
    await writer.get(path).expect(403);
    await writer.get(`${path}/mine`).expect(200);

    const refused = await new Client(host.url).get(path).expect(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
    expect(refused.body).toEqual({ oops: 401, method: 'GET', url: path });
    await host.app.get(TokensService).revoke(reader.organizationId, reader.tokenId);
    await reader.get(path).expect(401);
  });

  it('judges a request that another route has passed on', async () => {
    const reader = await clientOf(host, ['users:read']);
    await reader.get('/backend/v1/audited/secret').expect(403);
    await reader.get('/backend/v1/audited/nothing').expect(404);
  });

  it('tells a route that may change something for whom its caller acts', async () => {
    const api = await clientOf(host);
    const send = (person: string) => api.post('/backend/v1/audits').set('X-On-Behalf-Of', person);
    expect((await send('ada').expect(201)).body.data).toMatchObject({ onBehalfOf: 'ada' });
    expect((await send('x'.repeat(201)).expect(400)).body).toMatchObject({ oops: 400 });
    const { body } = await api.get('/backend/v1/audits').set('X-On-Behalf-Of', 'x'.repeat(201)).expect(200);
    expect(body.data).not.toHaveProperty('onBehalfOf');
  });

  it('lets nobody in without the module, and says why', async () => {
    const guard = new TokenGuard(plain.app.get(ModuleRef));
    const context = new ExecutionContextHost([{}, {}], AuditsController, AuditsController.prototype.all);
    await expect(guard.canActivate(context)).rejects.toThrow('This application has no UserManagementModule');
  });
});

const SCIM = 'application/scim+json; charset=utf-8';
const error = (status: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  detail: expect.any(String),
});

describe.each([
  ['/backend/internal/scim/v2', 'application/scim+json'],
  ['/backend/internal/api/scim/v2', 'application/json'],
])('SCIM in an application, at %s', (root, type) => {
  let api: Client;
  beforeEach(async () => void (api = await clientOf(host)));

  it('serves users and groups whose addresses have the prefixes', async () => {
    const send = (path: string, body: object, method: 'post' | 'patch' = 'post') =>
      api
        .send(method, root + path)
        .set('Content-Type', type)
        .send(JSON.stringify(body));
    const userName = 'ada@example.com';
    const { body: user, headers } = await send('/Users', { userName })
      .expect(201)
      .expect('Content-Type', SCIM);
    expect(headers.location).toBe(`${host.url}${root}/Users/${user.id}`);
    expect(user.meta.location).toBe(headers.location);
    expect((await api.get(headers.location.slice(host.url.length)).expect(200)).body).toEqual(user);

    const members = [{ value: user.id }];
    const { body: group, headers: ofGroup } = await send('/Groups', { displayName: 'A', members }).expect(
      201,
    );
    expect(ofGroup.location).toBe(`${host.url}${root}/Groups/${group.id}`);
    expect(group.members[0].$ref).toBe(headers.location);

    // Directories append a slash.
    const filter = encodeURIComponent(`userName eq "${userName}"`);
    const { body: found } = await api.get(`${root}/Users/?filter=${filter}`).expect(200);
    expect(found.Resources).toMatchObject([{ id: user.id, groups: [{ $ref: ofGroup.location }] }]);
    const patch = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
    const { body: changed } = await send(`/Users/${user.id}`, patch, 'patch').expect(200);
    expect(changed).toMatchObject({ active: false, meta: { location: headers.location } });
    const { body: events } = await api.get(`/backend/internal/api/v1/events?target=${user.id}`).expect(200);
    expect(events.data[0]).toMatchObject({ type: 'user.created', source: 'scim' });
    await api.delete(`${root}/Users/${user.id}`).expect(204);
  });

  it('answers every failure in the words of SCIM', async () => {
    const anonymous = new Client(host.url);
    const send = (type: string, body: string) =>
      api.post(`${root}/Users`).set('Content-Type', type).send(body);
    const answers: [number, ReturnType<typeof api.get>, string?][] = [
      [401, anonymous.get(`${root}/Users`)],
      [404, api.get(`${root}/Users/nobody`)],
      [404, api.get(`${root}/Groups/nobody`)],
      [404, api.get(root)],
      [404, api.get(`${root}/Nothing`)],
      [404, api.get(`${root}/Users/a/b`)],
      [404, api.get(`${root}/Users/%zz`)],
      [405, anonymous.put(`${root}/Schemas`)],
      [405, api.put(`${root}/Users`)],
      [400, send('application/scim+json', '{'), 'invalidSyntax'],
      // The application itself has failed to parse these.
      [400, send('application/json', '{'), 'invalidSyntax'],
      [413, send('application/json', JSON.stringify({ userName: 'x'.repeat(120 * 1024) }))],
      [413, send('application/scim+json', JSON.stringify({ userName: 'x'.repeat(80 * 1024) }))],
      [415, send('text/plain', 'x')],
      [400, send('application/json', '[]'), 'invalidSyntax'],
      [400, send('application/json', '{}'), 'invalidValue'],
      [501, api.post(`${root}/Bulk`, {})],
    ];
    for (const [status, answer, scimType] of answers) {
      const { body, headers } = await answer.expect(status);
      expect(body).toEqual({ ...error(status), ...(scimType && { scimType }) });
      expect(headers).toMatchObject({ 'content-type': SCIM, 'cache-control': 'no-store' });
      expect(headers['x-request-id']).toBeDefined();
    }
  });

  it('describes itself with the prefixes, and is recorded without queries', async () => {
    const { body } = await api.get(`${root}/ServiceProviderConfig`).expect(200);
    expect(body.meta.location).toBe(`${host.url}${root}/ServiceProviderConfig`);
    await api.get(`${root}/Users?filter=${encodeURIComponent('userName eq "secret-person"')}`).expect(200);
    await api.get(`${root}/Users?filter=secret-person`).expect(400);
    const own = root.replace('/backend/internal', '');
    expect(records.at(-1)).toMatchObject({ method: 'GET', route: `${own}/Users`, status: 400 });
    expect(JSON.stringify(records)).not.toContain('secret-person');
  });
});

it('SCIM leaves the paths beside it to the application', async () => {
  const api = await clientOf(host);
  for (const path of ['/backend/scim/v2/Users', '/backend/internal/scim', '/scim/v2/Users'])
    expect((await api.get(path).expect(404)).headers['content-type']).not.toMatch(/scim|problem/);
});
