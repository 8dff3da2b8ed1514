import { Get } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { accessOf, SCOPES, type Scope } from '../../src/platform/http/scopes';
import { ApiController } from '../../src/platform/http/api-controller.decorator';
import { routesOf } from '../../src/platform/http/method-not-allowed';
import { TokensService } from '../../src/tokens/tokens.service';
import { strictExpress } from '../../src/platform/http/strict-express';
import { controllersOf, ServiceModule } from '../../src/service.module';
import { DEFAULTS } from '../../src/service.options';
import type { Client } from '../support/client';
import {
  failure,
  OPERATOR_TOKEN,
  operatorRoutes,
  routes,
  served,
  UNKNOWN,
  useEveryRoute,
  withUnknownId,
} from '../support/routes';

const service = useEveryRoute();

it('tests every route of the running service that requires a token', () => {
  const served = declared()
    .filter(({ handler, controller }) => accessOf(handler, controller) !== 'public')
    .map(({ method, path }) => `${method.toLowerCase()} ${path}`);
  const tested = [...routes, ...operatorRoutes].map(({ method, path }) => `${method} ${path}`);
  expect(tested.sort()).toEqual(served.sort());
});

const declared = () => [...routesOf(controllersOf(service.app.get(DiscoveryService)))];
const WITH_AND_WITHOUT_API = /^\/api(?=\/(scim|oauth|v1\/tokens|v1\/organizations)\b)/;

it('answers for SCIM, OAuth, tokens and organizations with and without /api, by the same handlers', () => {
  const handlersOf = (twins: ReturnType<typeof declared>) =>
    new Map(twins.map(({ method, path, handler }) => [`${method} ${path}`, handler]));
  const twins = declared().filter(({ path }) => WITH_AND_WITHOUT_API.test(path));
  const others = declared().filter(({ path }) => /^\/(scim|oauth|v1)\//.test(path));
  expect(handlersOf(others)).toEqual(
    handlersOf(twins.map((route) => ({ ...route, path: route.path.replace('/api', '') }))),
  );
  expect(others.length).toBeGreaterThan(30);
});

/** The access table of the running service. A new route fails this test until its scope is entered here. */
it('requires these scopes for these routes', () => {
  const routes = declared().filter(({ path }) => !WITH_AND_WITHOUT_API.test(path));
  const table = routes.map(({ method, path, handler, controller }) => {
    const access = accessOf(handler, controller);
    return `${method.toLowerCase()} ${path} ${typeof access === 'string' ? access : access.join() || 'any token'}`;
  });
  expect(table.sort()).toEqual([
    'all /scim/v2/Bulk any token',
    'all /scim/v2/Me any token',
    'delete /api/v1/deleted-users/:id admin',
    'delete /api/v1/users/:id users:delete',
    'delete /api/v1/webhooks/:id admin',
    'delete /scim/v2/Groups/:id users:delete',
    'delete /scim/v2/Users/:id users:delete',
    'delete /v1/organizations/:id operator',
    'delete /v1/organizations/:id/tokens/:tokenId operator',
    'delete /v1/tokens/:id admin',
    'delete /v1/tokens/current any token',
    'get /api/v1/deleted-users users:read',
    'get /api/v1/deleted-users/:id users:read',
    'get /api/v1/events admin',
    'get /api/v1/events/:id admin',
    'get /api/v1/groups users:read',
    'get /api/v1/groups/:id users:read',
    'get /api/v1/settings admin',
    'get /api/v1/statistics users:read',
    'get /api/v1/users users:read',
    'get /api/v1/users/:id users:read',
    'get /api/v1/users/:id/export admin',
    'get /api/v1/users/search users:read',
    'get /api/v1/webhooks admin',
    'get /api/v1/webhooks/:id admin',
    'get /api/v1/webhooks/:id/deliveries admin',
    'get /dashboard/callback public',
    'get /dashboard/session public',
    'get /dashboard/sign-in public',
    'get /docs public',
    'get /docs/:file public',
    'get /livez public',
    'get /openapi.json public',
    'get /readyz public',
    'get /scim/v2/Groups users:read',
    'get /scim/v2/Groups/:id users:read',
    'get /scim/v2/ResourceTypes any token',
    'get /scim/v2/ResourceTypes/:name any token',
    'get /scim/v2/Schemas any token',
    'get /scim/v2/Schemas/:urn any token',
    'get /scim/v2/ServiceProviderConfig any token',
    'get /scim/v2/Users users:read',
    'get /scim/v2/Users/:id users:read',
    'get /v1/organizations operator',
    'get /v1/organizations/:id operator',
    'get /v1/organizations/:id/tokens operator',
    'get /v1/tokens admin',
    'get /v1/tokens/:id admin',
    'get /v1/tokens/current any token',
    'patch /api/v1/users/:id users:write',
    'patch /api/v1/webhooks/:id admin',
    'patch /scim/v2/Groups/:id users:write',
    'patch /scim/v2/Users/:id users:write',
    'patch /v1/organizations/:id operator',
    'patch /v1/tokens/:id admin',
    'post /api/v1/deleted-users/:id/restore users:write',
    'post /api/v1/deleted-users/batch-restore users:write',
    'post /api/v1/users users:write',
    'post /api/v1/users/batch users:write',
    'post /api/v1/users/batch-delete users:delete',
    'post /api/v1/webhooks admin',
    'post /api/v1/webhooks/:id/redeliver admin',
    'post /api/v1/webhooks/:id/rotate-secret admin',
    'post /api/v1/webhooks/:id/test admin',
    'post /dashboard/session public',
    'post /oauth/token public',
    'post /scim/v2/.search users:read',
    'post /scim/v2/Groups users:write',
    'post /scim/v2/Groups/.search users:read',
    'post /scim/v2/Users users:write',
    'post /scim/v2/Users/.search users:read',
    'post /v1/organizations operator',
    'post /v1/organizations/:id/tokens operator',
    'post /v1/tokens admin',
    'post /v1/tokens/:id/rotate admin',
    'put /scim/v2/Groups/:id users:write',
    'put /scim/v2/Users/:id users:write',
  ]);
});

it('serves only the routes that a controller declares', () => {
  type Layer = { route?: { path: string; methods: Record<string, boolean> } };
  const layers = service.app.getHttpAdapter().getInstance().router.stack as unknown as Layer[];
  const served = layers.flatMap(({ route }) => {
    const methods = Object.keys(route?.methods ?? {});
    return methods.length === 1 ? [`${methods[0]} ${route!.path}`] : []; // middleware answers all methods
  });
  const declared = [
    ...routes.filter(({ method }) => method !== 'all'), // which is served as all methods
    ...operatorRoutes,
    ...['livez', 'readyz', 'openapi.json', 'docs', 'docs/:file'].map((name) => ({
      method: 'get',
      path: `/${name}`,
    })),
    ...['sign-in', 'callback', 'session'].map((name) => ({ method: 'get', path: `/dashboard/${name}` })),
    ...['/dashboard/session', '/oauth/token', '/api/oauth/token'].map((path) => ({ method: 'post', path })),
  ];
  expect(served.sort()).toEqual(declared.map(({ method, path }) => `${method} ${path}`).sort());
});

const subsets = SCOPES.reduce<Scope[][]>(
  (sets, scope) => [...sets, ...sets.map((set) => [...set, scope])],
  [[]],
).filter((set) => set.length > 0);

/** What a caller with these scopes gets at a route; the answers of an allowed one depend on what does not exist. */
async function answerTo(scopes: Scope[], { method, path, scopes: needed }: (typeof routes)[number]) {
  const api = await service.client({ scopes }); // one of the routes revokes it
  const response = await api.send(served(method), withUnknownId(path), method === 'post' ? {} : undefined);
  const { status, headers, body } = response;
  if (ALLOWED.includes(status)) return { scopes, answer: 'allowed' };
  expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${needed.join(' ')}"`);
  expect(body).toMatchObject({
    ...failure(path, 403, 'insufficient_scope'),
    detail: expect.stringContaining(needed.join(' ')),
  });
  return { scopes, answer: status };
}
const ALLOWED = [200, 204, 400, 404, 415, 501];

/** What a route says to values that are no token of an organization: the same to each, and nothing of a limit. */
async function expectUnknown({ method, path }: (typeof routes)[number]) {
  const send = (api: Client) =>
    api.send(served(method), withUnknownId(path)).set('X-Request-ID', 'same').expect(401);
  const { headers, body } = await send(service.anonymous());
  expect([method, path, headers['www-authenticate']]).toEqual([method, path, 'Bearer']);
  expect(headers['x-ratelimit-limit']).toBeUndefined();
  expect(body).toMatchObject(failure(path, 401, 'unauthorized'));

  const expired = await service.client();
  await service.dataSource.query(`UPDATE tokens SET expires_at = now() - interval '1 ms' WHERE id = $1`, [
    expired.tokenId,
  ]);
  const revoked = await service.client();
  await service.app.get(TokensService).revoke(revoked.organizationId, revoked.tokenId);
  const unknown = revoked.withValue('umt_00000000000000000000000000000000004kTDkI');
  const answers = await Promise.all([expired, revoked, unknown, operator()].map(send));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  for (const { headers } of answers) {
    expect([method, path, headers['www-authenticate']]).toEqual([
      method,
      path,
      'Bearer error="invalid_token"',
    ]);
    expect(headers['x-ratelimit-limit']).toBeUndefined();
  }
}

it('is for the tokens with the scopes of a route, and no other value, at every route', async () => {
  for (const { method, path, scopes } of routes) {
    const isAllowed = (set: Scope[]) => set.includes('admin') || scopes.every((scope) => set.includes(scope));
    const answers = await Promise.all(subsets.map((set) => answerTo(set, { method, path, scopes })));
    const expected = subsets.map((set) => ({ scopes: set, answer: isAllowed(set) ? 'allowed' : 403 }));
    expect({ method, path, answers }).toEqual({ method, path, answers: expected });
    await expectUnknown({ method, path, scopes });
  }
});

const operator = () => service.anonymous().withValue(OPERATOR_TOKEN);

describe("the operator's token", () => {
  it('is what the routes of the operator require, and nothing else', async () => {
    const admin = await service.client();
    for (const { method, path } of operatorRoutes) {
      const send = (client: Client) =>
        client
          .send(served(method), withUnknownId(path), method === 'post' ? {} : undefined)
          .set('X-Request-ID', 'same');
      const { status, headers } = await send(operator());
      const isServed = [200, 400, 404, 415].includes(status);
      expect([method, path, isServed, headers['x-ratelimit-limit']]).toEqual([method, path, true, '1000']);

      expect((await send(service.anonymous()).expect(401)).headers['www-authenticate']).toBe('Bearer');
      const others = [
        admin,
        admin.withValue(`${OPERATOR_TOKEN}0`),
        admin.withValue(OPERATOR_TOKEN.slice(0, -1)),
      ];
      const refused = await Promise.all(others.map((client) => send(client).expect(401)));
      expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
      expect(refused[0].headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(refused[0].body).toMatchObject({ status: 401, code: 'unauthorized' });
    }
  });

  it('is an unknown client secret', async () => {
    const { tokenId } = await service.client();
    const form = { grant_type: 'client_credentials', client_id: tokenId, client_secret: OPERATOR_TOKEN };
    const { body } = await request(service.url).post('/oauth/token').type('form').send(form).expect(401);
    expect(body.error).toBe('invalid_client');
  });

  it('is unknown even if a token of an organization has the same value', async () => {
    const { organizationId } = await service.client();
    const tokens = service.app.get(TokensService);
    await tokens.createFirst(organizationId, { name: 'Same', scopes: ['admin'] }, OPERATOR_TOKEN);
    await operator().get('/v1/tokens').expect(401);
    await operator().get('/v1/organizations').expect(200);
  });
});

@ApiController('test/without-scope')
class WithoutScopeController {
  @Get()
  get() {
    return { reached: true };
  }
}

it('requires the scope admin for a route that declares none', async () => {
  const module = await Test.createTestingModule({
    imports: [ServiceModule.on(service.dataSource, { ...DEFAULTS, background: false })],
    controllers: [WithoutScopeController],
  }).compile();
  const app = module.createNestApplication<NestExpressApplication>(new ExpressAdapter(strictExpress()), {
    bodyParser: false,
  });
  await app.init();
  const send = async (client: Client) =>
    request(app.getHttpServer())
      .get('/test/without-scope')
      .set('Authorization', `Bearer ${client.tokenValue}`);

  const others = await service.client({ scopes: ['users:read', 'users:write', 'users:delete'] });
  expect((await send(others)).status).toBe(403);
  expect((await send(await service.client())).body).toEqual({ reached: true });
  expect((await request(app.getHttpServer()).get('/test/without-scope')).status).toBe(401);
});

describe('the Authorization header', () => {
  it('has the scheme Bearer in any case, and a token', async () => {
    const { tokenValue } = await service.client();
    const send = (header: string) => service.anonymous().get('/api/v1/users').set('Authorization', header);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) await send(`${scheme} ${tokenValue}`).expect(200);
    for (const [header, challenge] of [
      ['Basic dXNlcjpwYXNz', 'Bearer'],
      ['Bearer', 'Bearer'],
      ['Bearer  ', 'Bearer'],
      ['Bearer umt_short', 'Bearer error="invalid_token"'],
      ['Bearer a b', 'Bearer error="invalid_token"'],
    ]) {
      const { headers } = await send(header).expect(401);
      expect([header, headers['www-authenticate']]).toEqual([header, challenge]);
    }
  });
});

describe('the order of checks', () => {
  it('is 401, 403, 415, 400, 404: a body is read only for an authorized caller', async () => {
    const reader = await service.client({ scopes: ['users:read'] });
    const writer = await service.client({ scopes: ['users:write'] });
    const path = `/api/v1/users/${UNKNOWN.usr}`;
    const garbage = (api: Client) => api.patch(path).set('Content-Type', 'text/plain').send('{');

    await garbage(service.anonymous()).expect(401);
    await garbage(reader).expect(403);
    await garbage(writer).expect(415);
    await writer.patch(path).set('Content-Type', 'application/json').send('{').expect(400);
    await writer.patch(path, { name: '' }).expect(400);
    await writer.patch('/api/v1/users/nobody', { name: '' }).expect(400);
    await writer.patch(path, { name: 'Ada' }).expect(404);
  });
});
