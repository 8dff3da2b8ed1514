// The requests that the programs measure. Each is of a random organization or user of its side.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { BASE, personOf } from './fill.mjs';

const { person, pick, random } = createRequire(import.meta.url)('../dist/src/entry/demo/people.js');

const anyOf = (list) => pick(Math.random, list);

/** The number of the next person: beyond those that fill a database, and hardly one that an earlier run has created. */
let made = 10_000_000 + Math.floor(Math.random() * 1e9);
export const newPerson = () => person(made++);

const isService = (side) => !side.isExpress;

const createOf = ({ organizations }, headers) => ({
  method: 'POST',
  path: BASE,
  organization: anyOf(organizations),
  body: newPerson(),
  headers,
});

const ofUser = ({ users }, request) => {
  const user = anyOf(users);
  return { path: `${BASE}/${user.id}`, organization: user.organization, ...request?.(user) };
};

export const readOne = { name: 'read one', requestOf: (side) => ofUser(side) };

export const list = {
  name: 'list 50',
  requestOf: ({ organizations }) => ({ path: `${BASE}?limit=50`, organization: anyOf(organizations) }),
};

/** Keeps some users for `deleteUser` to delete later in the round. */
export const create = {
  name: 'create',
  requestOf: (side) => createOf(side),
  onResponse(side, body, organization) {
    const id = /"id":"([^"]+)"/.exec(body)?.[1];
    if (id) side.created.push({ id, organization });
  },
};

export const createWithKey = {
  name: 'create with a key',
  isFor: isService,
  requestOf: (side) => createOf(side, { 'Idempotency-Key': randomUUID() }),
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
  amountOf: ({ created }) => created.length,
  requestOf: ({ created }) => {
    const { id, organization } = created.pop();
    return { method: 'DELETE', path: `${BASE}/${id}`, organization };
  },
};

const words = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length >= 4);

const part = (next, text, length) => {
  const at = Math.floor(next() * Math.max(1, text.length - length));
  return text.slice(at, at + length);
};

const wordOf = (next, { name }) => pick(next, [...words(name), 'platform']);

/** The word with two letters swapped, a letter missing, wrong or too many; the first letter is right. */
function misspelt(next, word) {
  const at = 1 + Math.floor(next() * (word.length - 2));
  const [before, letter, after] = [word.slice(0, at), word[at], word.slice(at + 1)];
  return pick(next, [
    `${before}${after[0]}${letter}${after.slice(1)}`,
    `${before}${after}`,
    `${before}q${after}`,
    `${before}${letter}q${after}`,
  ]);
}

/** Kinds of search terms, made from a user of the organization. */
const TERMS = {
  'rare word': (_, { metadata }) => metadata.badge,
  'common word': (next, { name }) => pick(next, name.split(' ')),
  'in nearly every row': (next) =>
    pick(next, ['com', 'example', 'exam', 'usr', 'ampl', '.com', 'usr_0', 'e.com']),
  'two letters': (next, user) => part(next, wordOf(next, user), 2),
  'three letters': (next, user) => part(next, wordOf(next, user), 3),
  'full name': (_, { name }) => name,
  'whole email': (_, { email }) => email,
  typo: (next, user) => misspelt(next, wordOf(next, user)),
  'typo of four or five letters': (next, { name }) =>
    misspelt(next, pick(next, [...words(name).filter(({ length }) => length < 6), 'john', 'smith'])),
  'two words'(next, { name }) {
    const [first, ...rest] = name.split(' ');
    return next() < 0.5 ? `${first} ${rest.at(-1)}` : `${rest.at(-1)} ${first}`;
  },
  'email fragment': (next, { email }) => part(next, email, 5 + Math.floor(next() * 8)),
  'metadata value': (next, { metadata }) => pick(next, [metadata.city, metadata.team]),
  'no match': (next) => Array.from({ length: 7 }, () => pick(next, [...'bcdfghjkqvwxz'])).join(''),
};

function searchOf(next, { organizations }, kind) {
  const organization = pick(next, organizations);
  const q = TERMS[kind](next, personOf(organization, Math.floor(next() * organization.size)));
  return { path: `${BASE}/search?limit=20&q=${encodeURIComponent(q)}`, organization };
}

export const search = {
  name: 'search',
  isFor: isService,
  requestOf: (side) => searchOf(Math.random, side, 'common word'),
};

/** A search for each kind of term, with the same terms on all sides and in all rounds. */
export const searches = (sides, count) =>
  Object.keys(TERMS).map((kind) => {
    const requests = new Map();
    for (const side of sides) {
      const next = random(4711);
      requests.set(
        side,
        Array.from({ length: count }, () => searchOf(next, side, kind)),
      );
    }
    return {
      name: `search: ${kind}`,
      amountOf: () => count,
      requestOf(side) {
        const [request] = requests.get(side).splice(0, 1);
        requests.get(side).push(request);
        return request;
      },
    };
  });
