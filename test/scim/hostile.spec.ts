/**
 * @only embedded: it tests what happens before the database is asked
 */
import fc from 'fast-check';
import { newId } from '../../src/platform/database/id';
import { EMAILS, HOSTILE_BODIES, nested, TEXTS, VALUES } from '../support/hostile';
import { type ScimClient, scimClient } from '../support/scim';
import { startService, type TestService } from '../support/service';

let service: TestService;
let scim: ScimClient;
let user: string;
let group: string;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
  scim = await scimClient(service);
  user = (await scim.post('/Users', { userName: 'ada@example.com' }).expect(201)).body.id;
  group = (await scim.post('/Groups', { displayName: 'A', members: [{ value: user }] }).expect(201)).body.id;
});
afterAll(() => service.close());

const ATTRIBUTES = [
  ...['userName', 'externalId', 'displayName', 'active', 'name', 'emails', 'roles', 'members', 'schemas'],
  ...['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', 'manager', 'addresses', 'id', 'meta'],
];
const PATHS = [
  ...ATTRIBUTES,
  ...['name.givenName', 'emails.value', 'emails[type eq "work"].value', 'roles[primary eq "True"].value'],
  ...[
    'members[value eq "x"]',
    'urn:x',
    'emails[',
    'emails[type',
    'a.b.c',
    '',
    ' ',
    '__proto__',
    'x'.repeat(2_000),
  ],
];

/** Sends the text as each kind of body that there is, and returns the statuses. */
async function statusesOf(body: string): Promise<number[]> {
  const answers = await Promise.all(
    [
      scim.post('/Users'),
      scim.put(`/Users/${user}`),
      scim.patch(`/Users/${user}`),
      scim.post('/Users/.search'),
      scim.post('/Groups'),
      scim.put(`/Groups/${group}`),
      scim.patch(`/Groups/${group}`),
      scim.post('/Groups/.search'),
    ].map((test) => test.set('Content-Type', 'application/scim+json').send(body)),
  );
  for (const { headers } of answers) expect(headers['content-type'] ?? 'none').toMatch(/scim\+json|none/);
  return answers.map(({ status }) => status);
}

const expectNoFailure = async (body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const statuses = await statusesOf(text);
  expect([text.slice(0, 300), statuses.filter((status) => status >= 500)]).toEqual([text.slice(0, 300), []]);
};

it.each(HOSTILE_BODIES)('%s is refused by every route with a body', async (_what, body) => {
  expect(new Set(await statusesOf(body))).toEqual(new Set([400]));
});

it('no value of an attribute is a failure', async () => {
  for (const value of [...VALUES, ...TEXTS, ...EMAILS, nested(100), [[nested(3)]]])
    await expectNoFailure({
      userName: `u${serial++}@example.com`,
      ...Object.fromEntries(ATTRIBUTES.slice(serial % 3).map((name) => [name, value])),
      filter: value,
      count: value,
      startIndex: value,
      Operations: [
        { op: 'add', path: PATHS[serial % PATHS.length], value },
        { op: 'replace', value: { [PATHS[(serial * 7) % PATHS.length]]: value } },
      ],
    });
});

let serial = 0;

const json = fc.jsonValue({ maxDepth: 4 });
const anyBody = fc.oneof(
  json,
  fc.record({
    userName: fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress()),
    displayName: fc.string({ unit: 'grapheme' }),
    emails: fc.oneof(json, fc.array(fc.record({ value: fc.emailAddress(), primary: fc.boolean() }))),
    members: fc.oneof(json, fc.array(fc.record({ value: fc.constantFrom(newId('usr'), newId('grp'), '') }))),
    Operations: fc.array(
      fc.record({
        op: fc.constantFrom('add', 'Replace', 'REMOVE', 'move'),
        path: fc.oneof(fc.constantFrom(...PATHS), fc.string()),
        value: fc.oneof(json, fc.dictionary(fc.constantFrom(...PATHS), json)),
      }),
      { maxLength: 5 },
    ),
  }),
);

it('nor is any body', async () => {
  await fc.assert(fc.asyncProperty(anyBody, expectNoFailure), { numRuns: 80 });
});

it('nor any filter, attribute, page or id', async () => {
  const texts = [
    ...TEXTS,
    ...[
      'userName eq "\\u0000"',
      'externalId eq "\\ud800"',
      'members eq "\\u0000"',
      'groups.value eq "%_\\\\"',
    ],
    ...[
      'meta.created gt "9999-12-31T23:59:59Z"',
      'displayName eq "\\u0000"',
      '"'.repeat(500),
      '('.repeat(500),
    ],
  ];
  for (const text of texts)
    for (const path of ['/Users', '/Groups'])
      for (const parameter of ['filter', 'startIndex', 'cursor', 'attributes']) {
        const { status } = await scim.get(`${path}?${parameter}=${encodeURIComponent(text.toWellFormed())}`);
        expect([text, parameter, status < 500]).toEqual([text, parameter, true]);
      }
  for (const query of [
    'filter=a&filter=b',
    'filter[x]=1',
    'count[]=1',
    '__proto__=1',
    'attributes=a&attributes=b',
  ])
    expect((await scim.get(`/Users?${query}`)).status).toBeLessThan(500);
  for (const id of ['%00', '%F0%9F%98%80', 'usr_', `${user}%00`, 'x'.repeat(3_000), '..%2F..', '.search'])
    for (const path of ['/Users', '/Groups'])
      for (const test of [
        scim.get(`${path}/${id}`),
        scim.delete(`${path}/${id}`),
        scim.put(`${path}/${id}`, {}),
      ])
        expect((await test).status).toBeLessThan(500);
});

it('a body with faults in many attributes is refused after the first thousand', async () => {
  const list = Array<string>(1_000).fill('\0');
  const body = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x${i}`, list]));
  const check = jest.spyOn(String.prototype, 'isWellFormed');
  try {
    await scim.post('/Groups', body).expect(400);
    expect(check.mock.calls.length).toBeLessThan(4_000); // two for each fault
  } finally {
    check.mockRestore();
  }
});
