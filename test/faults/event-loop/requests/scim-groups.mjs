// The heaviest requests of a directory for groups, of 1 MB.
import { elements, KB, keys, list, longName, MB, newName } from '../bodies.mjs';
import { attributes, filter, LIST, SEARCH } from './scim.mjs';

const name = () => newName() + longName(200);
const value = (id) => ({ value: id });
const groupAnd = (text) => `{"displayName":"${newName()}",${text}}`;
const newGroup = async (scene) => ({
  id: (await scene.send('POST', '/scim/v2/Groups', { displayName: newName() })).id,
});

/** What is created or put in the place of a group. */
const whole = (prepare) => ({
  'unknown keys': async (scene) => ({ ...(await prepare(scene)), body: groupAnd(keys(MB - 100)) }),
  objects: async (scene) => ({ ...(await prepare(scene)), body: groupAnd(`"a":${elements(MB - 100)}`) }),
  'objects as members': async (scene) => ({
    ...(await prepare(scene)),
    body: groupAnd(`"members":${elements(MB - 100)}`),
    status: 400,
  }),
  'too long an external id': async (scene) => ({
    ...(await prepare(scene)),
    body: { displayName: name(), externalId: longName(250 * KB) },
    status: 400,
  }),
});

/** A change of a new, empty group by a body. */
const patch =
  (body, status = 204) =>
  async (scene) => ({ ...(await newGroup(scene)), body, status });

/** Changes of a new group in the large organization, which has its first members. */
const change = (members, operationsOf) => async (scene) => {
  const { token, users, newGroup: make } = scene.large;
  return { token, id: await make(members), body: { Operations: operationsOf(users) } };
};

export const SCIM_GROUPS = {
  'GET /scim/v2/Groups': {
    ...LIST,
    'of a user': ({ heavy }) => ({ query: filter(`members eq "${heavy.users[0]}"`) }),
  },
  'POST /scim/v2/Groups/.search': SEARCH,
  'GET /scim/v2/Groups/:id': {
    '100,000 members': ({ large }) => ({ token: large.token, id: large.group }),
    ...Object.fromEntries(
      Object.entries(attributes()).map(([what, make]) => [
        what,
        ({ large }) => ({ token: large.token, id: large.group, ...make() }),
      ]),
    ),
  },
  'POST /scim/v2/Groups': {
    ...whole(() => ({})),
    '20,000 members': ({ large }) => ({
      token: large.token,
      body: { displayName: name(), members: large.users.slice(0, 20_000).map(value) },
    }),
  },
  'PUT /scim/v2/Groups/:id': {
    ...whole(newGroup),
    '20,000 members': async ({ large }) => ({
      token: large.token,
      id: await large.newGroup(0),
      body: { displayName: name(), members: large.users.slice(0, 20_000).map(value) },
    }),
    '20,000 others': async ({ large }) => ({
      token: large.token,
      id: await large.newGroup(20_000),
      body: { displayName: name(), members: large.users.slice(20_000, 40_000).map(value) },
    }),
  },
  'PATCH /scim/v2/Groups/:id': {
    'unknown keys': patch(`{"Operations":[{"op":"add","value":{${keys(MB - 100)}}}]}`, [204, 400]),
    'unknown keys beside': patch(`{"Operations":[],${keys(MB - 100)}}`),
    objects: patch(`{"Operations":[],"a":${elements(MB - 100)}}`),
    'objects as operations': patch(`{"Operations":${elements(MB - 100)}}`, 400),
    'objects as members': patch(
      `{"Operations":[{"op":"add","path":"members","value":${elements(MB - 100)}}]}`,
      400,
    ),
    '24,000 members': change(0, (users) => [{ op: 'add', path: 'members', value: users.slice(0, 24_000) }]),
    '24,000 others': change(24_000, (users) => [
      { op: 'replace', path: 'members', value: users.slice(24_000, 48_000) },
    ]),
    'without 24,000 members': change(24_000, (users) => [
      { op: 'remove', path: 'members', value: users.slice(0, 24_000) },
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
    '24,000 members': async ({ large }) => ({ token: large.token, id: await large.newGroup(24_000) }),
  },
};
