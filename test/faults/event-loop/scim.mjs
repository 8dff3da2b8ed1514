// The heaviest requests of a directory.
import { filled, KB, keys, list, longName, MB, objects, spellings } from './bodies.mjs';

const PAGE = 'count=200';
const URL_BYTES = 14 * KB;

let named = 0;
const newName = () => `loop-${++named}@scim.example`;
/** A list of as many elements as a user may have, in as many bytes. */
const elements = list(200, (n) => ({ value: `r${n}`, type: 'other', display: `${n}` }));
const user = (more) => ({ userName: newName(), ...more });
const full = () => user({ roles: elements, phoneNumbers: elements });
/** Many elements more than a user may have. */
const lists = () => `{"userName":"${newName()}","roles":[${filled(60 * KB, '{"value":"a"},').slice(0, -1)}]}`;
const withKeys = (bytes) => `{"userName":"${newName()}",${keys(bytes)}}`;
const withObjects = (bytes) => `{"userName":"${newName()}","j":${objects(bytes)}}`;

const newUser = async (s, body = user()) => (await s.send('POST', '/scim/v2/Users', body)).id;
const fullUser = (s) => (s.fullUser ??= newUser(s, user({ roles: elements.map((one, n) => (n === 199 ? { value: 'a' } : one)) })));
const newGroup = async (s) => (await s.send('POST', '/scim/v2/Groups', { displayName: `Loop ${++named}` })).id;

const operations = (text, bytes) => `{"Operations":[${filled(bytes - 40, `${text},`).slice(0, -1)}]}`;
const everyRole = `{"op":"add","value":{${spellings('roles').map((key) => `"${key}":{"value":"a"}`)}}}`;

const members = (s, count) => s.large.users.slice(0, count).map((value) => ({ value }));
const ids = (s, count = 24_000) => s.large.users.slice(0, count);
const ofLarge = async (s, count, operation) => ({
  token: s.large.token,
  id: await s.large.newGroup(count),
  body: { Operations: [operation] },
});

const filters = {
  'a long filter': 'userName eq "a" and '.repeat(600) + 'active eq true',
  'a long text': `userName eq "${'x'.repeat(12_000)}"`,
  'many brackets': '('.repeat(4_000),
};
const names = { 'many names': filled(URL_BYTES, 'a,'), 'many known names': filled(URL_BYTES, 'emails.value,') };

/** The cases of a list, of which `.search` takes the parameters in its body. */
const searches = (more = {}) => ({
  'a full page': () => ({ body: { count: 200 } }),
  ...more,
  'a long filter': () => ({ body: { filter: 'userName eq "a" and '.repeat(3_000) + 'active eq true' }, status: [200, 400] }),
  'a long text': () => ({ body: { filter: `userName eq "${'x'.repeat(60 * KB)}"` }, status: [200, 400] }),
  'many names': () => ({ body: { count: 200, attributes: list(15_000, () => 'a') } }),
  'other names': () => ({ body: { count: 200, attributes: list(8_000, (n) => `${n.toString(36)}.a`) } }),
  'many known names': () => ({ body: { count: 200, excludedAttributes: list(4_000, () => 'emails.type') } }),
  'unknown keys': () => ({ body: `{"count":1,${keys(60 * KB)}}` }),
  objects: () => ({ body: `{"count":1,"j":${objects(60 * KB)}}` }),
});

const lists_ = () => ({
  'a full page': () => ({ query: PAGE }),
  'by cursor': () => ({ query: `${PAGE}&cursor=` }),
  ...Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => [
      name,
      () => ({ query: `filter=${encodeURIComponent(filter).slice(0, URL_BYTES)}`, status: [200, 400] }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(names).flatMap(([name, text]) => [
      [name, () => ({ query: `${PAGE}&attributes=${text}` })],
      [`${name} to leave out`, () => ({ query: `${PAGE}&excludedAttributes=${text}` })],
    ]),
  ),
});

export const SCIM = {
  'GET /scim/v2/ServiceProviderConfig': { 'as it is': () => ({}) },
  'GET /scim/v2/ResourceTypes': { 'as it is': () => ({}) },
  'GET /scim/v2/ResourceTypes/:name': { 'as it is': () => ({ id: 'User' }) },
  'GET /scim/v2/Schemas': { 'as it is': () => ({}) },
  'GET /scim/v2/Schemas/:urn': { 'as it is': () => ({ id: 'urn:ietf:params:scim:schemas:core:2.0:User' }) },
  'ALL /scim/v2/Bulk': { 'as it is': () => ({ method: 'POST', body: objects(64 * KB), status: 501 }) },
  'ALL /scim/v2/Me': { 'as it is': () => ({ method: 'GET', status: 501 }) },

  'GET /scim/v2/Users': {
    ...lists_(),
    'of a large group': (s) => ({ token: s.large.token, query: `${PAGE}&filter=${encodeURIComponent(`groups.value eq "${s.large.group}"`)}` }),
    'of many groups': (s) => ({
      query: `${PAGE}&filter=${encodeURIComponent(s.heavy.groups.slice(0, 200).map((id) => `groups.value eq "${id}"`).join(' and '))}`,
      status: [200, 400],
    }),
  },
  'POST /scim/v2/Users/.search': searches(),
  'GET /scim/v2/Users/:id': {
    'in 1,000 groups': (s) => ({ id: s.heavy.users[0] }),
    'many names': (s) => ({ id: s.heavy.users[0], query: `attributes=${names['many names']}` }),
  },
  'POST /scim/v2/Users': {
    full: () => ({ body: full(), status: [201, 400] }),
    'long lists': () => ({ body: lists(), status: 400 }),
    'unknown keys': () => ({ body: withKeys(60 * KB) }),
    objects: () => ({ body: withObjects(60 * KB) }),
    'long name': () => ({ body: user({ displayName: '😀'.repeat(15_000) }), status: [201, 400] }),
    'long emails': () => ({ body: user({ emails: [{ value: `${'a.'.repeat(30_000)}@b.c` }] }), status: [201, 400] }),
  },
  'PUT /scim/v2/Users/:id': {
    full: async (s) => ({ id: await newUser(s), body: full(), status: [200, 400] }),
    'long lists': async (s) => ({ id: await newUser(s), body: lists(), status: 400 }),
    'unknown keys': async (s) => ({ id: await newUser(s), body: withKeys(60 * KB) }),
    'in 1,000 groups': (s) => ({ id: s.heavy.users[2], body: user({ roles: elements }) }),
  },
  'PATCH /scim/v2/Users/:id': {
    '1,000 operations': async (s) => ({
      id: await fullUser(s),
      body: { Operations: list(1_000, () => ({ op: 'add', path: 'roles', value: { value: 'a' } })) },
    }),
    '1,000 operations on elements': async (s) => ({
      id: await fullUser(s),
      body: { Operations: list(800, () => ({ op: 'replace', path: 'roles[value eq "a"].display', value: 'x' })) },
    }),
    '90 operations with 32 spellings': async (s) => ({
      id: await fullUser(s),
      body: operations(everyRole, 64 * KB),
      status: [200, 400],
    }),
    'unknown keys': async (s) => ({
      id: await fullUser(s),
      body: `{"Operations":[{"op":"add","value":{${keys(63 * KB)}}}]}`,
      status: [200, 400],
    }),
    'unknown keys beside': async (s) => ({ id: await fullUser(s), body: `{"Operations":[],${keys(63 * KB)}}` }),
    objects: async (s) => ({ id: await fullUser(s), body: `{"Operations":[],"j":${objects(63 * KB)}}` }),
    'long path': async (s) => ({
      id: await fullUser(s),
      body: { Operations: [{ op: 'add', path: `emails[${'value eq "a" and '.repeat(3_000)}type eq "b"]`, value: 'a' }] },
      status: [200, 400],
    }),
    'long list': async (s) => ({
      id: await fullUser(s),
      body: `{"Operations":[{"op":"add","path":"roles","value":[${filled(63 * KB, '{"value":"a"},').slice(0, -1)}]}]}`,
      status: [200, 400],
    }),
    'in 1,000 groups': (s, n) => ({ id: s.heavy.users[3], body: { Operations: [{ op: 'replace', path: 'title', value: `${n}` }] } }),
  },
  'DELETE /scim/v2/Users/:id': { 'as it is': async (s) => ({ id: await newUser(s, full()) }) },

  'GET /scim/v2/Groups': {
    ...lists_(),
    'of a user': (s) => ({ query: `${PAGE}&filter=${encodeURIComponent(`members eq "${s.heavy.users[0]}"`)}` }),
  },
  'POST /scim/v2/Groups/.search': searches(),
  'GET /scim/v2/Groups/:id': {
    '100,000 members': (s) => ({ token: s.large.token, id: s.large.group }),
    'many names': (s) => ({ token: s.large.token, id: s.large.group, query: `attributes=${names['many names']},members` }),
  },
  'POST /scim/v2/Groups': {
    '16,000 members': (s) => ({ token: s.large.token, body: { displayName: longName(newName()).slice(0, 200), members: members(s, 16_000) } }),
    'unknown keys': () => ({ body: `{"displayName":"${newName()}",${keys(MB - 100)}}` }),
    objects: () => ({ body: `{"displayName":"${newName()}","j":${objects(MB - 100)}}` }),
    'long external id': () => ({ body: { displayName: newName(), externalId: 'é'.repeat(500 * KB) }, status: [201, 400] }),
  },
  'PUT /scim/v2/Groups/:id': {
    '16,000 members': async (s) => ({
      token: s.large.token,
      id: await s.large.newGroup(),
      body: { displayName: newName(), members: members(s, 16_000) },
    }),
    '16,000 others': async (s) => ({
      token: s.large.token,
      id: await s.large.newGroup(24_000),
      body: { displayName: newName(), members: members(s, 32_000).slice(16_000) },
    }),
    'unknown keys': async (s) => ({ id: await newGroup(s), body: `{"displayName":"${newName()}",${keys(MB - 100)}}` }),
  },
  'PATCH /scim/v2/Groups/:id': {
    '24,000 members': (s) => ofLarge(s, 0, { op: 'add', path: 'members', value: ids(s) }),
    'other 24,000 members': (s) => ofLarge(s, 24_000, { op: 'replace', path: 'members', value: s.large.users.slice(24_000, 48_000) }),
    'without 24,000 members': (s) => ofLarge(s, 24_000, { op: 'remove', path: 'members', value: ids(s) }),
    'without any members': (s) => ofLarge(s, 24_000, { op: 'remove', path: 'members' }),
    '1,000 operations': (s) => ofLarge(s, 1_000, undefined).then((request) => ({
      ...request,
      body: { Operations: ids(s, 1_000).map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` })) },
    })),
    '1,000 operations of 24 members': (s) => ofLarge(s, 0, undefined).then((request) => ({
      ...request,
      body: { Operations: list(1_000, (n) => ({ op: n % 2 ? 'remove' : 'add', path: 'members', value: ids(s).slice(n * 20, n * 20 + 20) })) },
    })),
    'unknown keys': async (s) => ({
      id: await newGroup(s),
      body: `{"Operations":[{"op":"add","value":{${keys(MB - 100)}}}]}`,
      status: [204, 400],
    }),
    'unknown keys beside': async (s) => ({ id: await newGroup(s), body: `{"Operations":[],${keys(MB - 100)}}` }),
    objects: async (s) => ({ id: await newGroup(s), body: `{"Operations":[],"j":${objects(MB - 100)}}` }),
    'objects as operations': async (s) => ({ id: await newGroup(s), body: `{"Operations":${objects(MB - 100)}}`, status: 400 }),
    'long external id': async (s) => ({
      id: await newGroup(s),
      body: { Operations: [{ op: 'replace', path: 'externalId', value: 'é'.repeat(500 * KB) }] },
      status: [204, 400],
    }),
  },
  'DELETE /scim/v2/Groups/:id': { '100,000 members': async (s) => ({ token: s.large.token, id: await s.large.newGroup(100_000) }) },
};
