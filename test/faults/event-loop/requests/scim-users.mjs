// The heaviest requests of a directory for users, and those that tell it what there is.
import { elements, KB, keys, list, longName, newName, spellings } from '../bodies.mjs';
import { attributes, filter, LIST, SEARCH } from './scim.mjs';

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
const whole = (prepare) => ({
  'full attributes': async (scene) => ({ ...(await prepare(scene)), body: user({ roles: ROLES }) }),
  'every list': async (scene) => ({ ...(await prepare(scene)), body: user(LISTS) }),
  'a long certificate': async (scene) => ({
    ...(await prepare(scene)),
    body: user({ x509Certificates: [{ value: 'A'.repeat(15 * KB) }] }),
  }),
  'no certificate': async (scene) => ({
    ...(await prepare(scene)),
    body: user({ x509Certificates: [{ value: `A=${' '.repeat(62 * KB)}=A` }] }),
    status: 400,
  }),
  'too long a list': async (scene) => ({
    ...(await prepare(scene)),
    body: userAnd(`"roles":${elements(63 * KB, ONE)}`),
    status: 400,
  }),
  'unknown keys': async (scene) => ({ ...(await prepare(scene)), body: userAnd(keys(63 * KB)) }),
  objects: async (scene) => ({ ...(await prepare(scene)), body: userAnd(`"a":${elements(63 * KB)}`) }),
  'a long name': async (scene) => ({
    ...(await prepare(scene)),
    body: user({ displayName: longName(15 * KB) }),
    status: [200, 201, 400],
  }),
  'a long email': async (scene) => ({
    ...(await prepare(scene)),
    body: user({ emails: [{ value: `${'a.'.repeat(31 * KB)}@a.b` }] }),
    status: [200, 201, 400],
  }),
});

/** A change of a user with as many roles as it may have. */
const patch =
  (body, status = 200) =>
  async (scene) => ({ id: await newUser(scene, { roles: ROLES }), body, status });
const operations = (count, operation) => ({ Operations: list(count, () => operation) });
const everySpelling = `{"op":"add","value":{${spellings('roles').map((key) => `"${key}":${ONE}`)}}}`;
const everySpellingIn = (name, value) =>
  `{"op":"add","path":"${ENTERPRISE}","value":{${spellings(name).map((key) => `"${key}":${value}`)}}}`;
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
    ...Object.fromEntries(
      Object.entries(attributes()).map(([name, make]) => [
        name,
        ({ heavy }) => ({ id: heavy.users[0], ...make() }),
      ]),
    ),
  },
  'POST /scim/v2/Users': whole(() => ({})),
  'PUT /scim/v2/Users/:id': {
    ...whole(async (scene) => ({ id: await newUser(scene) })),
    'in 1,000 groups': ({ heavy }) => ({ id: heavy.users[2], body: user({ roles: ROLES }) }),
  },
  'PATCH /scim/v2/Users/:id': {
    'in 1,000 groups': ({ heavy }, n) => ({
      id: heavy.users[3],
      body: operations(1, { op: 'replace', path: 'title', value: `${n}` }),
    }),
    '1,000 operations': patch(operations(1_000, { op: 'add', path: 'roles', value: { value: 'a' } })),
    '800 operations on an element': patch(
      operations(800, { op: 'replace', path: 'roles[value eq "a"].display', value: 'x' }),
    ),
    'another primary element 500 times': patch({
      Operations: list(500, (n) => ({
        op: 'add',
        path: `roles[value eq "role${n % 150}"].primary`,
        value: true,
      })),
    }),
    'elements with primary 500 times': patch({
      Operations: list(500, (n) => ({
        op: 'replace',
        path: 'roles',
        value: list(2, (i) => ({ value: `${n}${i}`, primary: i === 0 })),
      })),
    }),
    'every spelling in the extension': patch(
      `{"Operations":${elements(63 * KB, everySpellingIn('department', '"a"'))}}`,
      [200, 400],
    ),
    'every spelling of the manager': patch(
      `{"Operations":${elements(63 * KB, everySpellingIn('manager', '{"value":"a","displayName":"b"}'))}}`,
      [200, 400],
    ),
    'every spelling of a list': patch(`{"Operations":${elements(63 * KB, everySpelling)}}`, [200, 400]),
    'unknown keys': patch(`{"Operations":[{"op":"add","value":{${keys(63 * KB)}}}]}`, [200, 400]),
    'unknown keys beside': patch(`{"Operations":[],${keys(63 * KB)}}`),
    objects: patch(`{"Operations":[],"a":${elements(63 * KB)}}`),
    'objects as operations': patch(`{"Operations":${elements(63 * KB)}}`, 400),
    'a long path': patch(
      operations(1, { op: 'add', path: `emails[${manyConditions}]`, value: 'a' }),
      [200, 400],
    ),
    'too long a list': patch(
      `{"Operations":[{"op":"add","path":"roles","value":${elements(63 * KB, ONE)}}]}`,
      [200, 400],
    ),
  },
  'DELETE /scim/v2/Users/:id': {
    'full attributes': async (scene) => ({ id: await newUser(scene, { roles: ROLES }) }),
  },
};
