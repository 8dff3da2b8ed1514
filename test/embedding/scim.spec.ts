/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import { OrganizationsService, TokensService, UserManagementModule, type RequestRecord } from '../../src';
import { Client } from '../support/client';
import { OPTIONS } from '../support/embedding';
import { type Host, startHost } from '../support/host';
import { exchange } from '../support/socket';

const records: RequestRecord[] = [];
let host: Host;
let api: Client;

beforeAll(async () => {
  const options = {
    ...OPTIONS,
    onRequest: (record: RequestRecord) => records.push(record),
  };
  host = await startHost([UserManagementModule.forRoot(options)]);
  const { id: organizationId } = await host.app.get(OrganizationsService).create('Test');
  const created = await host.app
    .get(TokensService)
    .create(organizationId, { name: 'Okta', scopes: ['admin'] });
  api = new Client(host.url, { organizationId, tokenId: created.token.id, value: created.value });
});
afterAll(() => host.close());

const SCIM = 'application/scim+json; charset=utf-8';
const ROOTS = ['/backend/internal/scim/v2', '/backend/internal/api/scim/v2'];

const error = (status: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
  detail: expect.any(String),
});

describe.each(ROOTS)('SCIM in an application, at %s', (root) => {
  it.each(['application/scim+json', 'application/json'])(
    'serves users and groups whose addresses have the prefixes, for bodies of %s',
    async (type) => {
      const send = (path: string, body: object) =>
        api
          .post(root + path)
          .set('Content-Type', type)
          .send(JSON.stringify(body));
      const userName = `ada-${ROOTS.indexOf(root)}-${type.length}@example.com`;
      const { body: user, headers } = await send('/Users', { userName })
        .expect(201)
        .expect('Content-Type', SCIM);
      expect(headers.location).toBe(`${host.url}${root}/Users/${user.id}`);
      expect(user.meta.location).toBe(headers.location);
      expect((await api.get(headers.location.slice(host.url.length)).expect(200)).body).toEqual(user);

      const { body: group, headers: ofGroup } = await send('/Groups', {
        displayName: userName,
        members: [{ value: user.id }],
      }).expect(201);
      expect(ofGroup.location).toBe(`${host.url}${root}/Groups/${group.id}`);
      expect(group.members[0].$ref).toBe(headers.location);
      const { body: member } = await api.get(`${root}/Users/${user.id}`).expect(200);
      expect(member.groups[0].$ref).toBe(ofGroup.location);

      // Directories append a slash.
      const filter = encodeURIComponent(`userName eq "${userName}"`);
      const { body: found } = await api.get(`${root}/Users/?filter=${filter}`).expect(200);
      expect(found.Resources).toEqual([member]);
      const patch = { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
      const { body: changed } = await api
        .patch(`${root}/Users/${user.id}`)
        .set('Content-Type', type)
        .send(JSON.stringify(patch))
        .expect(200);
      expect(changed).toMatchObject({ active: false, meta: { location: headers.location } });
      const { body: events } = await api.get(`/backend/internal/api/v1/events?target=${user.id}`).expect(200);
      expect(events.data[0]).toMatchObject({ type: 'user.created', source: 'scim' });
      await api.delete(`${root}/Users/${user.id}`).expect(204);
    },
  );

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

it('knows a target in absolute form for one of SCIM', async () => {
  const body = '{"userName":"absolute@example.com"}';
  const answer = await exchange(
    host.url,
    `POST http://x:99999${ROOTS[0]}/Users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.tokenValue}\r\n` +
      `Connection: close\r\nContent-Type: application/scim+json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(answer).toMatch(
    /^HTTP\/1.1 201 [^]*^Location: http:\/\/x\/backend\/internal\/scim\/v2\/Users\/usr_/m,
  );
  const { body: events } = await api.get('/backend/internal/api/v1/events?order=desc&limit=1').expect(200);
  expect(events.data[0]).toMatchObject({ type: 'user.created', source: 'scim' });
});

it('leaves the paths beside it to the application', async () => {
  for (const path of ['/backend/scim/v2/Users', '/backend/internal/scim', '/scim/v2/Users'])
    expect((await api.get(path).expect(404)).headers['content-type']).not.toMatch(/scim|problem/);
});
