// The requests that the programs measure. Each draws from all organizations of a side in turn.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { BASE } from './sides.mjs';

const { person } = createRequire(import.meta.url)('../dist/src/demo/people.js');

let turn = 0;
const anyOf = (list) => list[turn++ % list.length];

/** The number of the next person; no side has it yet. */
let made = 10_000_000;
export const newPerson = () => person(made++);

const create = (side, headers) => ({
  method: 'POST',
  path: BASE,
  organization: anyOf(side.organizations),
  body: newPerson(),
  headers,
});

const ofUser = (side, request) => {
  const user = anyOf(side.users);
  return { path: `${BASE}/${user.id}`, organization: user.organization, ...request?.(user) };
};

export const readOne = { name: 'read one', requestOf: (side) => ofUser(side) };

export const list = {
  name: 'list 50',
  requestOf: (side) => ({ path: `${BASE}?limit=50`, organization: anyOf(side.organizations) }),
};

export const search = {
  name: 'search',
  isFor: (side) => !side.isExpress,
  requestOf: (side) => {
    const words = person(turn % side.users.length).name.split(' ');
    const q = encodeURIComponent(anyOf(words));
    return { path: `${BASE}/search?q=${q}&limit=20`, organization: anyOf(side.organizations) };
  },
};

export const createUser = { name: 'create', requestOf: (side) => create(side) };

/** A create whose user `deleteUser` deletes later in the round. */
export const createForDelete = {
  ...createUser,
  onResponse(side, body, organization) {
    const id = /"id":"([^"]+)"/.exec(body)?.[1];
    if (id) side.created.push({ id, organization });
  },
};

export const createWithKey = {
  name: 'create with a key',
  isFor: (side) => !side.isExpress,
  requestOf: (side) => create(side, { 'Idempotency-Key': randomUUID() }),
};

export const patchRole = {
  name: 'PATCH of a role',
  requestOf: (side) =>
    ofUser(side, (user) => {
      user.role = user.role === 'admin' ? 'viewer' : 'admin';
      return { method: 'PATCH', body: { role: user.role } };
    }),
};

export const patchName = {
  name: 'PATCH of a name',
  requestOf: (side) => ofUser(side, () => ({ method: 'PATCH', body: { name: newPerson().name } })),
};

export const deleteUser = {
  name: 'delete',
  amountOf: (side) => side.created.length,
  requestOf: (side) => {
    const { id, organization } = side.created.pop();
    return { method: 'DELETE', path: `${BASE}/${id}`, organization };
  },
};
