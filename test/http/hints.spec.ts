/**
 * @only embedded postgres: it tests what happens before the database is asked
 */
import fc from 'fast-check';
import { faultIn } from '../../src/platform/http/input/json-position';
import { nearName } from '../../src/platform/http/input/near-name';
import { validate } from '../../src/platform/http/input/validate';
import { SearchUsersDto } from '../../src/users/search/user-search.dto';
import { CreateUserDto } from '../../src/users/user/user.dto';
import document from '../../openapi.json';
import { SCIM_TYPE } from '../../src/scim/wire/scim-format';
import { aUser, Client } from '../support/client';
import { OPERATOR_TOKEN, UNKNOWN, useEveryRoute } from '../support/routes';

// What a refusal says to a caller who has made a small mistake.

const service = useEveryRoute();
let api: Client;
beforeAll(async () => void (api = await service.client()));

const send = (path: string, text: string | Buffer, type = 'application/json') =>
  api
    .post(path)
    .set('Content-Type', type)
    .serialize((body) => body as never)
    .send(text as never);

const USERS = '/api/v1/users';
const NOT_JSON = 'The request body is not valid JSON';

describe('a body that is not JSON', () => {
  it.each([
    ['has a comma too many', '{"name":"Ada",}', `${NOT_JSON} at line 1, column 15.`],
    ['has no quotes', '{"name":Ada}', `${NOT_JSON} at line 1, column 9.`],
    ['has two values', '{} {}', `${NOT_JSON} at line 1, column 4.`],
    ['has NaN', '{\n  "name": NaN\n}', `${NOT_JSON} at line 2, column 11.`],
    ['has a line break in a text', '{"name":"Ada\r\n"}', `${NOT_JSON} at line 1, column 13.`],
    ['has lines of every kind', '{\r\n"a":1,\r"b":2,\n\n "ö😀" 3}', `${NOT_JSON} at line 5, column 7.`],
    ['ends too early', '{"name":\n', `${NOT_JSON}: it ends too early, at line 2, column 1.`],
    ['ends in a text', '{"name":"Ad', `${NOT_JSON}: it ends too early, at line 1, column 12.`],
    ['begins with a byte order mark', '\ufeff{"name":}', `${NOT_JSON} at line 1, column 9.`],
    ['is blank', ' \r\n', 'The request body is empty.'],
    ['is empty', '', 'The request body is empty.'],
    ['is not UTF-8', Buffer.from('{"name":"\xe9"}', 'latin1'), 'The request body is not UTF-8.'],
  ])('%s', async (_what, text, detail) => {
    const errors = [{ field: 'body', code: 'invalid', message: 'must be JSON in UTF-8' }];
    for (const path of [USERS, `${USERS}/batch`, '/v1/tokens', '/api/v1/webhooks']) {
      const { body } = await send(path, text).expect(400);
      expect({ path, ...body }).toMatchObject({ path, code: 'malformed_json', detail, errors });
    }
    const { body } = await send('/scim/v2/Users', text, SCIM_TYPE).expect(400);
    const scim = `${detail} body must be JSON in UTF-8.`;
    expect(body).toMatchObject({ status: '400', scimType: 'invalidSyntax', detail: scim });
  });

  it('is not quoted', async () => {
    for (const text of ['hunter2', '{"a":hunter2}', `{"${'hunter2'.repeat(20)}"}`]) {
      const { text: answer } = await send(USERS, text).expect(400);
      expect(answer).not.toContain('hunter2');
    }
  });

  it('is found wherever JSON.parse() finds it, whatever was changed in JSON', async () => {
    const spoilt = fc
      .tuple(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom(undefined, 1, '\t'),
        fc.nat(),
        fc.constantFrom(0, 1),
        fc.oneof(
          fc.constantFrom(...'{}[],:"\\-.e0tu \n\u0001', '', '\\u1', '\\u12G'),
          fc.string({ unit: 'binary' }),
        ),
      )
      .map(([value, space, place, removed, added]) => {
        const text = JSON.stringify(value, null, space);
        const at = place % (text.length + 1);
        return (text.slice(0, at) + added + text.slice(at + removed)).toWellFormed();
      });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(spoilt, async (text) => {
        const fault = await faultIn(text);
        const message = messageOf(text);
        expect(fault === undefined).toBe(message === undefined);
        const [, position] = /at position (\d+)/.exec(message ?? '') ?? [];
        if (position === undefined) return;
        compared++;
        const lines = text.slice(0, Number(position)).split(/\r\n?|\n/);
        expect(fault).toMatchObject({ line: lines.length, column: [...lines.at(-1)!].length + 1 });
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(500); // other messages have no position
  });

  const messageOf = (text: string): string | undefined => {
    try {
      JSON.parse(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('is looked through in steps, so that a megabyte lets others have their turn', async () => {
    const now = jest.spyOn(performance, 'now'); // what a step takes is measured twice
    const elements = Array.from({ length: 35_000 }, (_, i) => `{"key":${i}.5e3,"text":"\\n"}`).join();
    for (const text of [`[${elements}`, `"${'\\n'.repeat(500_000)}`]) {
      now.mockClear();
      expect(await faultIn(text)).toMatchObject({ line: 1, column: text.length + 1, isEnd: true });
      expect(now.mock.calls.length / 2).toBeGreaterThan(text.length / 20_000);
    }
    now.mockRestore();
  });
});

describe('an unknown name', () => {
  it.each([
    ['nname', 'name'],
    ['nam', 'name'],
    ['ame', 'name'],
    ['nane', 'name'],
    ['nmae', 'name'],
    ['Name', 'name'],
    ['NAEM', 'name'],
    ['mail', 'email'],
    ['e-mail', 'email'],
    ['externalid', 'externalId'],
    ['external_id', 'externalId'],
    ['meta-data', 'metadata'],
  ])('%s may have been meant as %s', async (given, meant) => {
    const { body } = await api.post(USERS, aUser({ [given]: 'hunter2' })).expect(400);
    const message = `is not a known field; did you mean "${meant}"?`;
    expect(body.errors).toEqual([{ field: given, code: 'unknown', message }]);
  });

  it('is like none if two edits are needed, or if it is like one that callers cannot write', async () => {
    for (const given of [
      'names!',
      'anem',
      'nick',
      'username',
      'ID',
      'ids',
      'Version',
      'createdat',
      '',
      'x'.repeat(9_999),
    ]) {
      const { body } = await api.post(USERS, aUser({ [given]: 1 })).expect(400);
      expect(body.errors).toMatchObject([{ code: 'unknown', message: 'is not a known field' }]);
    }
  });

  it('is told of query parameters, elements of a batch, and in the input of a service', async () => {
    const near = (name: string) => `is not a known query parameter; did you mean "${name}"?`;
    for (const [query, field, name] of [
      [`${USERS}?Limit=1`, 'Limit', 'limit'],
      [`${USERS}?updatedSice=2026-01-31`, 'updatedSice', 'updatedSince'],
      [`${USERS}/search?q=ada&curser=x`, 'curser', 'cursor'],
      ['/api/v1/events?tpye=user.created', 'tpye', 'type'],
    ]) {
      const { body } = await api.get(query).expect(400);
      expect(body.errors).toEqual([{ field, code: 'unknown', message: near(name) }]);
    }
    const { body } = await api.post(`${USERS}/batch`, { users: [aUser({ rolle: 'admin' })] }).expect(200);
    expect(body.results[0].errors[0].message).toBe('is not a known field; did you mean "role"?');
    expect(validate(CreateUserDto, aUser({ Role: 1 })).faults).toMatchObject([{ field: 'Role' }]);
  });

  it('of one letter is not meant as another letter', () => {
    const messages = (name: string) =>
      validate(SearchUsersDto, { q: 'ada', [name]: 1 }).faults?.map(({ message }) => message);
    for (const name of ['x', '', 'ab'])
      expect([name, messages(name)]).toEqual([name, ['is not a known field']]);
    for (const name of ['Q', 'qq', 'qu'])
      expect([name, messages(name)]).toEqual([name, ['is not a known field; did you mean "q"?']]);
  });

  it('that differs in letter case alone comes first', () => {
    expect(nearName('LIMIT', ['limits', 'limit'])).toBe('limit');
    expect(nearName('limis', ['limits', 'limit'])).toBe('limits');
    expect(nearName('by', ['yb'])).toBe('yb');
  });
});

describe('a path', () => {
  const detailOf = async (method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete', path: string) => {
    const answers = await Promise.all([api, service.anonymous()].map((client) => client.send(method, path)));
    for (const { status, headers } of answers) {
      expect([path, status]).toEqual([path, 404]);
      expect(headers).not.toHaveProperty('x-ratelimit-limit');
    }
    const [first, second] = answers.map(({ body }) => body.detail);
    expect(second).toBe(first);
    return first;
  };

  it('without an id says so, with the methods that need one', async () => {
    for (const [methods, path, template] of [
      [['get', 'patch', 'delete'], '/api/v1/users/', '/api/v1/users/{id}'],
      [['get'], '/api/v1/users//export', '/api/v1/users/{id}/export'],
      [['post'], '/api/v1/deleted-users//restore', '/api/v1/deleted-users/{id}/restore'],
      [['get', 'delete'], '/v1/tokens/', '/v1/tokens/{id}'],
      [['get'], '/api/v1/tokens/?limit=1', '/api/v1/tokens/{id}'],
      [['get'], '/api/v1/webhooks//deliveries', '/api/v1/webhooks/{id}/deliveries'],
      [['delete'], `/v1/organizations/${UNKNOWN.org}/tokens/`, '/v1/organizations/{id}/tokens/{tokenId}'],
    ] as const)
      for (const method of methods)
        expect([path, await detailOf(method, path)]).toEqual([
          path,
          `There is no such route. The id is missing in ${template}.`,
        ]);
    expect((await api.head('/api/v1/users/').expect(404)).text).toBeUndefined();
  });

  it('with another version than the API names the one that there is', async () => {
    for (const [path, known] of [
      ['/v1/users', '/api/v1/users'],
      ['/v1/users/', '/api/v1/users'],
      [`/v1/users/${UNKNOWN.usr}`, '/api/v1/users'],
      ['/api/users?limit=1', '/api/v1/users'],
      ['/api/users/search/hunter2', '/api/v1/users'],
      ['/api/tokens', '/api/v1/tokens'],
      ['/v1/events', '/api/v1/events'],
      ['/api/organizations', '/api/v1/organizations'],
    ])
      for (const method of ['get', 'post', 'put'] as const)
        expect([path, await detailOf(method, path)]).toEqual([
          path,
          `There is no such route. Did you mean ${known}?`,
        ]);
  });

  it('that is like none is only unknown', async () => {
    for (const [method, path] of [
      ['post', '/api/v1/users/'],
      ['put', '/api/v1/users/'],
      ['get', '/api/v1/users/a/b'],
      ['get', '/v1/tokens/current/'],
      ['get', '/users'],
      ['get', '/v2/users'],
      ['get', '/v1/user'],
      ['get', '/v1/constructor'],
      ['get', '/api/v1/__proto__'],
      ['get', '/API/users'],
      ['get', '/docs/'],
      ['get', '/v1/%75sers'],
    ] as const)
      expect([path, await detailOf(method, path)]).toEqual([path, 'There is no such route.']);
  });
});

it('an empty cursor, as of a variable that is not set, is a 400 in every list, and not its first page', async () => {
  const operator = new Client(service.url, { value: OPERATOR_TOKEN });
  const webhook = { url: 'https://example.com', types: ['user.purged'] };
  const { id } = (await api.post('/api/v1/webhooks', webhook).expect(201)).body;
  const paths = document.paths as unknown as Record<string, { get?: { parameters: { name: string }[] } }>;
  const lists = Object.keys(paths).filter((path) =>
    paths[path].get?.parameters.some(({ name }) => name === 'cursor'),
  );
  expect(lists.length).toBeGreaterThan(8);
  for (const path of lists) {
    const client = path.includes('organizations') ? operator : api;
    const at = path.replace('{id}', path.includes('organizations') ? api.organizationId : id);
    const { body } = await client.get(`${at}?cursor=${path.endsWith('search') ? '&q=ada' : ''}`).expect(400);
    expect([path, body.errors]).toMatchObject([path, [{ field: 'cursor', code: 'invalid' }]]);
  }
});
