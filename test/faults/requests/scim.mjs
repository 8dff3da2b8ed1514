// The heaviest requests of a directory, and those that tell it what there is.
import { elements, filled, KB, keys, list, longName, MB, newName, spellings } from './bodies.mjs';

/** The requests, each with what is prepared for it. */
const eachOf = (requests, prepare) =>
  Object.fromEntries(
    Object.entries(requests).map(([what, make]) => [
      what,
      async (scene) => ({ ...(await prepare(scene)), ...make() }),
    ]),
  );

// What lists of users and of groups have in common, and their searches

const PAGE = 'count=200';
const filter = (text) => `${PAGE}&filter=${encodeURIComponent(text)}`;

const CONDITION = 'userName eq "a"';
const FILTERED = 'emails[type eq "a,b"].value,';
/** As long as a URL may be. */
const NAMES = {
  unknown: filled(14 * KB, 'a,'),
  known: filled(14 * KB, 'emails.value,'),
  filtered: filled(13 * KB, encodeURIComponent(FILTERED)),
  brackets: filled(13 * KB, encodeURIComponent('["')),
};
const conditions = (count) => list(count, () => CONDITION).join(' and ');
const refused = (request) => ({ ...request, status: [200, 400] });

/** Attributes that are asked for, or left out. */
const attributes = (query = '') => ({
  'unknown names': () => ({ query: `${query}&attributes=${NAMES.unknown}` }),
  'known names': () => ({ query: `${query}&attributes=${NAMES.known}` }),
  'without known names': () => ({ query: `${query}&excludedAttributes=${NAMES.known}` }),
  'names with filters': () => ({ query: `${query}&attributes=${NAMES.filtered}` }),
  'brackets as names': () => refused({ query: `${query}&attributes=${NAMES.brackets}` }),
});

const LIST = {
  'a full page': () => ({ query: PAGE }),
  'a full page by cursor': () => ({ query: `${PAGE}&cursor=` }),
  'many conditions': () => refused({ query: filter(conditions(500)) }),
  'a long text': () => refused({ query: filter(`userName eq "${'x'.repeat(13 * KB)}"`) }),
  'many parentheses': () => refused({ query: `${PAGE}&filter=${'('.repeat(13 * KB)}` }),
  ...attributes(PAGE),
};

const SEARCH = {
  'a full page': () => ({ body: { count: 200 } }),
  'many conditions': () => refused({ body: { filter: conditions(2_800) } }),
  'a long text': () => refused({ body: { filter: `userName eq "${'x'.repeat(63 * KB)}"` } }),
  'known names': () => ({ body: { count: 200, attributes: list(4_000, () => 'emails.value') } }),
  'without unknown names': () => ({
    body: { count: 200, excludedAttributes: list(8_000, (n) => `${n.toString(36)}.a`) },
  }),
  'names with filters': () => ({ body: { count: 200, attributes: list(1_900, () => FILTERED) } }),
  'one text of names with filters': () => ({
    body: { count: 200, attributes: filled(50 * KB, FILTERED) },
  }),
  brackets: () => refused({ body: { count: 200, attributes: filled(63 * KB, '[') } }),
  'unknown keys': () => ({ body: `{"count":200,${keys(63 * KB)}}` }),
};

// Users

/** As many roles as a user may have; an operation finds the last one. */
const ROLES = list(200, (n) =>
  n === 199 ? { value: 'a' } : { value: `role${n}`, type: 'other', display: `${n}` },
);
const ONE = '{"value":"a"}';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Every list with as many elements as all of them have room for. */
const LISTS = Object.fromEntries(
  ['emails', 'phoneNumbers', 'ims', 'photos', 'entitlements', 'roles', 'x509Certificates'].map((name) => [
    name,
    list(100, (n) => ({ value: `${1000 + n}` })),
  ]),
);

const user = (more) => ({ userName: `${newName()}@example.com`, ...more });
const userAnd = (text) => `{"userName":"${newName()}@example.com",${text}}`;
const newUser = async (scene, more) => (await scene.send('POST', '/scim/v2/Users', user(more))).id;

/** What is created or put in the place of a user. */
const WHOLE_USER = {
  'full attributes': () => ({ body: user({ roles: ROLES }) }),
  'every list': () => ({ body: user(LISTS) }),
  'no certificate': () => ({
    body: user({ x509Certificates: [{ value: `A=${' '.repeat(62 * KB)}=A` }] }),
    status: 400,
  }),
  'too long a list': () => ({ body: userAnd(`"roles":${elements(63 * KB, ONE)}`), status: 400 }),
  'unknown keys': () => ({ body: userAnd(keys(63 * KB)) }),
  'a long name': () => ({ body: user({ displayName: longName(15 * KB) }), status: [200, 201, 400] }),
  'a long email': () => ({
    body: user({ emails: [{ value: `${'a.'.repeat(31 * KB)}@a.b` }] }),
    status: [200, 201, 400],
  }),
};

/** A change of a user with as many roles as it may have. */
const patchUser =
  (body, status = 200) =>
  async (scene) => ({ id: await newUser(scene, { roles: ROLES }), body, status });
const operations = (count, operation) => ({ Operations: list(count, () => operation) });
const everySpelling = `{"op":"add","value":{${spellings('roles').map((key) => `"${key}":${ONE}`)}}}`;
const MANAGER = '{"value":"a","displayName":"b"}';
const everySpellingOfManager = `{"op":"add","path":"${ENTERPRISE}","value":{${spellings('manager').map((key) => `"${key}":${MANAGER}`)}}}`;
const manyConditions = list(3_000, () => 'value eq "a"').join(' and ');

export const SCIM_USERS = {
  'GET /scim/v2/ServiceProviderConfig': { 'as it is': () => ({}) },
  'GET /scim/v2/ResourceTypes': { 'as it is': () => ({}) },
  'GET /scim/v2/ResourceTypes/:name': { user: () => ({ id: 'User' }) },
  'GET /scim/v2/Schemas': { 'as it is': () => ({}) },
  'GET /scim/v2/Schemas/:urn': { user: () => ({ id: 'urn:ietf:params:scim:schemas:core:2.0:User' }) },
  'ALL /scim/v2/Bulk': { objects: () => ({ method: 'POST', body: elements(64 * KB), status: 501 }) },
  'ALL /scim/v2/Me': { 'as it is': () => ({ method: 'GET', status: 501 }) },

  'GET /scim/v2/Users': {
    ...LIST,
    'of a large group': ({ large }) => ({
      token: large.token,
      query: filter(`groups.value eq "${large.group}"`),
    }),
    'of many groups': ({ heavy }) => ({
      query: filter(list(150, (n) => `groups.value eq "${heavy.groups[n]}"`).join(' and ')),
      status: [200, 400],
    }),
  },
  'POST /scim/v2/Users/.search': SEARCH,
  'GET /scim/v2/Users/:id': {
    'in 1,000 groups': ({ heavy }) => ({ id: heavy.users[0] }),
    ...eachOf(attributes(), ({ heavy }) => ({ id: heavy.users[0] })),
  },
  'POST /scim/v2/Users': WHOLE_USER,
  'PUT /scim/v2/Users/:id': {
    ...eachOf(WHOLE_USER, async (scene) => ({ id: await newUser(scene) })),
    'in 1,000 groups': ({ heavy }) => ({ id: heavy.users[2], body: user({ roles: ROLES }) }),
  },
  'PATCH /scim/v2/Users/:id': {
    'in 1,000 groups': ({ heavy }, n) => ({
      id: heavy.users[3],
      body: operations(1, { op: 'replace', path: 'title', value: `${n}` }),
    }),
    '1,000 operations': patchUser(operations(1_000, { op: 'add', path: 'roles', value: { value: 'a' } })),
    'another primary element 500 times': patchUser({
      Operations: list(500, (n) => ({
        op: 'add',
        path: `roles[value eq "role${n % 150}"].primary`,
        value: true,
      })),
    }),
    'every spelling in the extension': patchUser(
      `{"Operations":${elements(63 * KB, everySpellingOfManager)}}`,
      [200, 400],
    ),
    'every spelling of a list': patchUser(`{"Operations":${elements(63 * KB, everySpelling)}}`, [200, 400]),
    'unknown keys': patchUser(`{"Operations":[{"op":"add","value":{${keys(63 * KB)}}}]}`, [200, 400]),
    'unknown keys beside': patchUser(`{"Operations":[],${keys(63 * KB)}}`),
    'objects as operations': patchUser(`{"Operations":${elements(63 * KB)}}`, 400),
    'a long path': patchUser(
      operations(1, { op: 'add', path: `emails[${manyConditions}]`, value: 'a' }),
      [200, 400],
    ),
    'too long a list': patchUser(
      `{"Operations":[{"op":"add","path":"roles","value":${elements(63 * KB, ONE)}}]}`,
      [200, 400],
    ),
  },
  'DELETE /scim/v2/Users/:id': {
    'full attributes': async (scene) => ({ id: await newUser(scene, { roles: ROLES }) }),
  },
};

// Groups, whose bodies may have 1 MB

const name = () => newName() + longName(200);
const value = (id) => ({ value: id });
const groupAnd = (text) => `{"displayName":"${newName()}",${text}}`;
const newGroup = async (scene) => ({
  id: (await scene.send('POST', '/scim/v2/Groups', { displayName: newName() })).id,
});

/** What is created or put in the place of a group. */
const WHOLE_GROUP = {
  'unknown keys': () => ({ body: groupAnd(keys(MB - 100)) }),
  'objects as members': () => ({ body: groupAnd(`"members":${elements(MB - 100)}`), status: 400 }),
  'too long an external id': () => ({
    body: { displayName: name(), externalId: longName(250 * KB) },
    status: 400,
  }),
};
const withMembers = (users) => ({ displayName: name(), members: users.map(value) });

/** A change of a new, empty group by a body. */
const patchGroup =
  (body, status = 204) =>
  async (scene) => ({ ...(await newGroup(scene)), body, status });

/** A request in the large organization. */
const inLarge =
  (make) =>
  async ({ large }) => ({ token: large.token, ...(await make(large)) });

/** Changes of a new group in the large organization, which has its first members. */
const change = (members, operationsOf) =>
  inLarge(async ({ users, newGroup: make }) => ({
    id: await make(members),
    body: { Operations: operationsOf(users) },
  }));

export const SCIM_GROUPS = {
  'GET /scim/v2/Groups': {
    ...LIST,
    'of a user': ({ heavy }) => ({ query: filter(`members eq "${heavy.users[0]}"`) }),
  },
  'POST /scim/v2/Groups/.search': SEARCH,
  'GET /scim/v2/Groups/:id': {
    '100,000 members': inLarge(({ group }) => ({ id: group })),
    ...eachOf(
      attributes(),
      inLarge(({ group }) => ({ id: group })),
    ),
  },
  'POST /scim/v2/Groups': {
    ...WHOLE_GROUP,
    '20,000 members': inLarge(({ users }) => ({ body: withMembers(users.slice(0, 20_000)) })),
  },
  'PUT /scim/v2/Groups/:id': {
    ...eachOf(WHOLE_GROUP, newGroup),
    '20,000 others': inLarge(async ({ users, newGroup: make }) => ({
      id: await make(20_000),
      body: withMembers(users.slice(20_000, 40_000)),
    })),
  },
  'PATCH /scim/v2/Groups/:id': {
    'unknown keys': patchGroup(`{"Operations":[{"op":"add","value":{${keys(MB - 100)}}}]}`, [204, 400]),
    'unknown keys beside': patchGroup(`{"Operations":[],${keys(MB - 100)}}`),
    'objects as operations': patchGroup(`{"Operations":${elements(MB - 100)}}`, 400),
    'objects as members': patchGroup(
      `{"Operations":[{"op":"add","path":"members","value":${elements(MB - 100)}}]}`,
      400,
    ),
    '24,000 members': change(0, (users) => [{ op: 'add', path: 'members', value: users.slice(0, 24_000) }]),
    '24,000 others': change(24_000, (users) => [
      { op: 'replace', path: 'members', value: users.slice(24_000, 48_000) },
    ]),
    'without any members': change(24_000, () => [{ op: 'remove', path: 'members' }]),
    'without 1,000 members, one by one': change(1_000, (users) =>
      users.slice(0, 1_000).map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` })),
    ),
    '1,000 times 20 members': change(0, (users) =>
      list(1_000, (n) => ({
        op: n % 2 ? 'remove' : 'add',
        path: 'members',
        value: users.slice(n * 20, n * 20 + 20),
      })),
    ),
  },
  'DELETE /scim/v2/Groups/:id': {
    '24,000 members': inLarge(async ({ newGroup: make }) => ({ id: await make(24_000) })),
  },
};
