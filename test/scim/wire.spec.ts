import { scimClient } from '../support/scim';
import { startService, type TestService } from '../support/service';
import { exchange } from '../support/socket';

let service: TestService;
beforeAll(async () => (service = await startService({ TRUST_PROXY: 'true' })));
afterAll(() => service.close());

const ROOTS = ['/scim/v2', '/api/scim/v2'];
const SCIM = 'application/scim+json; charset=utf-8';

const error = (status: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  detail: expect.any(String),
});

it.each(ROOTS)('answers every failure below %s in the words of SCIM', async (root) => {
  const { api } = await scimClient(service);
  const { api: reader } = await scimClient(service, { scopes: ['users:read'] });
  const answers = {
    401: service.anonymous().get(`${root}/Users`),
    403: reader.post(`${root}/Users`, {}),
    404: api.get(`${root}/Users/nobody`),
    405: service.anonymous().put(`${root}/Schemas`, {}),
    413: api.post(`${root}/Users`, { userName: 'x'.repeat(70_000) }),
    415: api.post(`${root}/Users`).set('Content-Type', 'text/plain').send('x'),
    501: api.post(`${root}/Bulk`, {}),
  };
  for (const [status, answer] of Object.entries(answers)) {
    const { body, headers } = await answer.expect(Number(status));
    expect(body).toEqual(error(Number(status)));
    expect(headers).toMatchObject({
      'content-type': SCIM,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
  }
  for (const path of ['', '/', '/Nothing', '/Users/a/b', '/Users/%zz', '/users'])
    expect((await api.get(root + path).expect(404)).body).toEqual(error(404));
  const { body } = await api
    .post(`${root}/Users`)
    .set('Content-Type', 'application/scim+json')
    .send('{')
    .expect(400);
  expect(body).toEqual({ ...error(400), scimType: 'invalidSyntax' });
});

describe('SCIM', () => {
  const [root] = ROOTS;

  it('has the headers of authenticated requests, and HEAD', async () => {
    const { api } = await scimClient(service);
    const { headers, text } = await api.head(`${root}/Users`).expect(200);
    expect(text).toBeUndefined();
    expect(headers).toMatchObject({ 'content-type': SCIM, 'x-ratelimit-limit': '1000' });
    const failed = await api.get(`${root}/Users/nobody`).expect(404);
    expect(Number(failed.headers['x-ratelimit-remaining'])).toBe(998);
  });

  it('takes both media types', async () => {
    const { api } = await scimClient(service);
    for (const type of ['application/scim+json', 'application/json', 'Application/SCIM+JSON; charset=UTF-8'])
      await api
        .post(`${root}/Users/.search`)
        .set('Content-Type', type)
        .send('{}')
        .expect(200)
        .expect('Content-Type', SCIM);
  });

  it('serves discovery to any token, and refuses other methods there', async () => {
    const { api } = await scimClient(service, { scopes: ['users:delete'] });
    const { body: config } = await api.get(`${root}/ServiceProviderConfig`).expect(200);
    expect(config.meta.location).toBe(`${service.url}${root}/ServiceProviderConfig`);
    const { body: types } = await api.get(`${root}/ResourceTypes`).expect(200);
    expect(types.Resources[0]).toMatchObject({ id: 'User', endpoint: '/Users' });
    await api.get(`${root}/ResourceTypes/User`).expect(200);
    await api.get(`${root}/Schemas`).expect(200);
    await api.get(`${root}/Schemas/urn:nothing`).expect(404);
    for (const path of ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/User', 'Schemas'])
      for (const method of ['post', 'put', 'patch', 'delete'] as const)
        await api.send(method, `${root}/${path}`).expect(405).expect('Allow', 'GET, HEAD');
    await api.get(`${root}/Users`).expect(403);
  });

  it('answers 501 for every method of /Bulk and /Me, without logging a failure', async () => {
    const { api } = await scimClient(service, { scopes: ['users:read'] });
    for (const path of ['Bulk', 'Me'])
      for (const method of ['get', 'head', 'post', 'put', 'patch', 'delete', 'options'] as const)
        await api.send(method, `${root}/${path}`).expect(501);
    await service.anonymous().get(`${root}/Me`).expect(401);
    expect(service.logs.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('takes no longer Host than a name and a port, because a page repeats it', async () => {
    const { api } = await scimClient(service);
    await api.get(`${root}/Users`).set('Host', 'h'.repeat(259)).expect(200);
    const { body } = await api.get(`${root}/Users`).set('Host', 'h'.repeat(260)).expect(400);
    expect(body).toMatchObject({ scimType: 'invalidValue', detail: 'The Host header is too long' });
  });

  it.each(ROOTS)('shows the address that the caller sees below %s', async (root) => {
    const { api } = await scimClient(service);
    const { body, headers } = await api
      .post(`${root}/Users`, { userName: 'ada@example.com' })
      .set('X-Forwarded-Proto', 'https')
      .set('X-Forwarded-Host', 'people.example.com')
      .expect(201);
    expect(headers.location).toBe(`https://people.example.com${root}/Users/${body.id}`);
    expect(body.meta.location).toBe(headers.location);
  });
});

it('keeps queries out of every log, and other paths in the format of the API', async () => {
  const { api } = await scimClient(service);
  await api.get('/scim/v2/Users?filter=userName%20eq%20%22secret-person%22').expect(200);
  await api.get('/scim/v2/Users?filter=userName%20xx%20%22secret-person%22').expect(400);
  expect(service.logs.join('')).not.toContain('secret-person');
  for (const path of ['/scimx', '/SCIM/v2/Users', '/api/v1/users/nobody'])
    expect((await api.get(path).expect(404)).headers['content-type']).toMatch(/^application\/problem\+json/);
  // Elsewhere a slash makes another path.
  await api.get('/api/v1/users/').expect(404);
  await api.get('/scim/v2/Schemas/').expect(404);
});

it('tells what the HTTP parser refuses in the format of the path, if it knows one', async () => {
  const answer = await exchange(service.url, 'GET /scim/v2/Users HTTP/1.1\r\n\r\n');
  expect(answer).toContain('application/scim+json');
  expect(answer).toContain('"status":"400"');
  const expectation = await exchange(
    service.url,
    'GET /scim/v2/Users HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n',
  );
  expect(expectation).toContain('"status":"417"');
});

it('limits the rate as everywhere', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '2' });
  const scim = await scimClient(limited);
  await scim.get('/Users').expect(200);
  await scim.get('/Users').expect(200);
  const { body, headers } = await scim.get('/Users').expect(429);
  expect(body).toEqual(error(429));
  expect(headers['retry-after']).toMatch(/^\d+$/);
  await limited.close();
});
