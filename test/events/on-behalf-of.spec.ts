import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { systemCaller } from '../../src/platform/http/caller';
import { onBehalfOf } from '../../src/platform/http/server/on-behalf-of';
import { UsersService } from '../../src/users/users.service';
import { aUser, type Client } from '../support/client';
import { ORGANIZATIONS, useOperator } from '../support/operator';
import { directoryOf } from '../support/scim';
import { exchange } from '../support/socket';

const { service, operator } = useOperator({ RATE_LIMIT_PER_MINUTE: '100000' });

let api: Client;
beforeEach(async () => (api = await service.client()));

interface EventBody {
  type: string;
  onBehalfOf: string | null;
}
const typesAndPersons = async (client = api) => {
  const { data } = (await client.get('/api/v1/events').expect(200)).body as { data: EventBody[] };
  return data.slice(1).map(({ type, onBehalfOf }) => [type, onBehalfOf]); // without that of the client's token
};
const personsOf = async () => (await typesAndPersons()).map(([, person]) => person);

const HEADER = 'X-On-Behalf-Of';

/** The text in UTF-8, each byte of which a header has as a character. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

/** Creates a user with this value of the header. By `fetch`: `request()` encodes headers like the text of a body. */
const create = (value: string) =>
  fetch(`${service.url}/api/v1/users`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${api.tokenValue}`,
      'Content-Type': 'application/json',
      [HEADER]: value,
    },
    body: JSON.stringify(aUser()),
  });

describe('X-On-Behalf-Of', () => {
  it('names the person in the events of the request, in the words of the caller', async () => {
    const persons = [
      'ada@example.com',
      'Ada Lovelace <ada@example.com>, +44',
      'Zoë à', // the last byte is that of a no-break space
      '李小龍 🚀',
      '=HYPERLINK("x")',
      'x'.repeat(200),
      '🚀'.repeat(200),
      'e\u0301'.repeat(100), // counted as two characters each
    ];
    for (const person of persons) expect((await create(bytes(person))).status).toBe(201);
    await api.createUser();
    expect(await personsOf()).toEqual([...persons, null]);
  });

  it('is trimmed', async () => {
    expect((await create(bytes(' \t \u00a0\u3000Ada\u2003 '))).status).toBe(201);
    expect(await personsOf()).toEqual(['Ada']);
  });

  it('is refused if nobody could read it', async () => {
    const [invalid, utf8] = ['must have no control or format characters', 'must be UTF-8'];
    for (const [code, message, value] of [
      ['too_short', 'must not be empty', ''],
      ['too_short', 'must not be empty', bytes('\u00a0\u3000')],
      ['too_long', 'must have at most 200 characters', 'x'.repeat(201)],
      ['too_long', 'must have at most 200 characters', bytes('🚀'.repeat(201))],
      ['invalid', invalid, 'Ada\tLovelace'],
      ['invalid', invalid, bytes('Ada\u0085')], // a line end
      ['invalid', invalid, bytes('\u200fada')],
      ['invalid', invalid, bytes('ada\u202egro.elpmaxe@')],
      ['invalid', invalid, bytes('ada\u2066')],
      ['invalid', invalid, bytes('a\u200bda')],
      ['invalid', invalid, bytes('\ufeffada')],
      ['invalid', invalid, bytes('ada\u2028bob')], // ends a line for many readers of NDJSON
      ['invalid', invalid, bytes('ada\u2029bob')],
      ['invalid', utf8, '\u00e9'],
      ['invalid', utf8, bytes('é').slice(0, 1)],
      ['invalid', utf8, '\u00ed\u00a0\u0080'], // a lone surrogate
      ['invalid', utf8, '\u00c0\u0080'], // NUL in two bytes
    ]) {
      const body = await (await create(value)).json();
      const errors = [{ field: HEADER, code, message }];
      expect([value, body]).toMatchObject([value, { status: 400, code: 'validation_failed', errors }]);
    }
    expect(await personsOf()).toEqual([]);
  });

  it('is refused if it is sent twice', async () => {
    for (const values of [
      ['ada', 'bob'],
      ['ada', 'ada'],
      ['ada', ''],
    ]) {
      const headers = { [HEADER]: values } as unknown as Record<string, string>;
      const { body } = await api.post('/api/v1/users', aUser()).set(headers).expect(400);
      const errors = [{ field: HEADER, code: 'invalid', message: 'must be sent only once' }];
      expect(body).toMatchObject({ code: 'validation_failed', errors });
    }
    expect(await personsOf()).toEqual([]);
  });

  it('cannot have a CR, an LF or a NUL, which the parser refuses', async () => {
    for (const character of ['\r', '\n', '\0']) {
      const head = `POST /api/v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.tokenValue}\r\n`;
      const answer = await exchange(service.url, `${head}${HEADER}: a${character}b\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"code":"bad_request"');
    }
  });

  it('is judged after 401 and 403, and by nothing that a caller may only read', async () => {
    const empty = { [HEADER]: '' };
    await service.anonymous().post('/api/v1/users', aUser()).set(empty).expect(401);
    const reader = await service.client({ scopes: ['users:read'] });
    await reader.post('/api/v1/users', aUser()).set(empty).expect(403);
    await reader.get('/api/v1/users').set(empty).expect(200);
    for (const read of [api.get, api.head]) await read('/api/v1/events').set(empty).expect(200);
    await directoryOf(() => reader)
      .post('/Users/.search', {})
      .set(empty)
      .expect(200);
    await reader.delete('/v1/tokens/current').set(empty).expect(400);
  });

  it('is in every event of a batch and of a directory', async () => {
    const users = [aUser(), aUser()];
    await api.post('/api/v1/users/batch', { users }).set(HEADER, 'ada').expect(200);
    const scim = directoryOf(() => api);
    const { body: user } = await scim
      .post('/Users', { userName: 'bob', emails: [{ value: 'bob@example.com' }] })
      .set(HEADER, 'bob')
      .expect(201);
    const group = { displayName: 'Sales', members: [{ value: user.id }] };
    await scim.post('/Groups', group).set(HEADER, 'eve').expect(201);
    expect(await typesAndPersons()).toEqual([
      ['user.created', 'ada'],
      ['user.created', 'ada'],
      ['user.created', 'bob'],
      ['group.created', 'eve'],
      ['group.member_added', 'eve'],
    ]);
    const { body } = await scim.post('/Users', { userName: 'eve' }).set(HEADER, '').expect(400);
    expect(body).toMatchObject({ scimType: 'invalidValue' });
    expect(body.detail).toContain('X-On-Behalf-Of must not be empty.');
  });

  it('is in the events of tokens, which are moved to the others', async () => {
    const { body: token } = await api
      .post('/v1/tokens', { name: 'CI', scopes: ['users:read'] })
      .set(HEADER, 'ada')
      .expect(201);
    await api.delete(`/v1/tokens/${token.id}`).set(HEADER, 'bob').expect(204);
    expect(await typesAndPersons()).toEqual([
      ['token.created', 'ada'],
      ['token.revoked', 'bob'],
    ]);
  });

  it('is taken of the operator, too', async () => {
    const path = `${ORGANIZATIONS}/${api.organizationId}`;
    const named = (test: ReturnType<Client['get']>, person: string) => test.set(HEADER, person);
    await named(operator.patch(path, { suspended: true }), 'ada').expect(200);
    await named(operator.patch(path, { suspended: false }), 'bob').expect(200);
    const token = { name: 'CI', scopes: ['users:read'] };
    await named(operator.post(`${path}/tokens`, token), 'eve').expect(201);
    await named(operator.patch(path, { suspended: true }), '').expect(400);
    await named(operator.get(path), '').expect(200);
    expect(await typesAndPersons()).toEqual([
      ['organization.suspended', 'ada'],
      ['organization.resumed', 'bob'],
      ['token.created', 'eve'],
    ]);
  });

  it('is not logged', async () => {
    expect((await create('ada-who-is-secret')).status).toBe(201);
    expect((await create('ada-who-is-secret\t!')).status).toBe(400);
    expect(service.logs.join('')).toContain('/api/v1/users');
    expect(service.logs.join('')).not.toContain('ada-who-is-secret');
  });

  it('is read of a request that no parser has made, as adapters of cloud functions do', () => {
    const request = new IncomingMessage(new Socket());
    request.headers = { 'x-on-behalf-of': 'ada' };
    expect(onBehalfOf(request)).toBe('ada');
  });
});

describe('onBehalfOf of a host application', () => {
  it('is in its events, and held to the same limits', async () => {
    const users = service.app.get(UsersService);
    const by = (person?: string) => ({
      ...systemCaller(api.organizationId, 'application', 'billing'),
      onBehalfOf: person,
    });
    await users.create(by(' Ada '), aUser());
    await users.create(by(), aUser());
    expect(await personsOf()).toEqual(['Ada', null]);
    for (const person of ['', 'x'.repeat(201), 'a\0', 'a\ud800']) {
      await expect(users.create(by(person), aUser())).rejects.toMatchObject({
        response: { errors: [{ field: 'onBehalfOf' }] },
      });
    }
    await service.app.get(OrganizationsService).suspend(by('bob'));
    await service.app.get(OrganizationsService).resume(api.organizationId);
    expect(await personsOf()).toEqual(['Ada', null, 'bob', null]);
  });
});
