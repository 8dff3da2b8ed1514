// The heaviest batches, of 1 MB.
import { DENSE, elements, FULL, keys, list, longName, MB, person } from '../bodies.mjs';

const MOST = 500;
const WORDS = { a: 'word '.repeat(370) };
const dry = { mode: 'upsert', dryRun: true };

const batch = (users, more) => ({ body: { users, ...more } });
/** Users of whom the service knows no field. */
const unknownFields = `[${list(MOST, () => `{${keys(2_080, 138)}}`)}]`;
const allWrong = { name: 1, email: 1, externalId: 1, role: 1, active: 1, metadata: 1, id: 1, version: 1 };

export const BATCH = {
  'POST /api/v1/users/batch': {
    'dense metadata': () => batch(list(69, () => person({ metadata: DENSE }))),
    'full metadata': () => batch(list(49, () => person({ metadata: FULL }))),
    '500 users': () => batch(list(MOST, () => person({ metadata: WORDS }))),
    '500 users, with a key': () => ({
      ...batch(list(MOST, () => person({ metadata: WORDS }))),
      headers: { 'Idempotency-Key': person().email.padEnd(255, 'x') },
    }),
    '500 users, atomic, dry': () =>
      batch(
        list(MOST, () => person({ metadata: WORDS })),
        { atomic: true, ...dry },
      ),
    '500 long names and external ids': () => ({
      ...batch(
        list(MOST, () => person({ name: longName(200), externalId: person().name.padEnd(200, '😀') })),
        {
          mode: 'upsert',
          by: 'externalId',
        },
      ),
      status: [200, 400],
    }),
    'unknown fields': () => ({ body: `{"users":${unknownFields}}` }),
    'unknown fields, dry': () => ({ body: `{"users":${unknownFields},"dryRun":true}` }),
    'every field wrong': () => batch(list(MOST, () => allWrong)),
    'every field wrong, atomic': () => ({
      ...batch(
        list(MOST, () => allWrong),
        { atomic: true },
      ),
      status: 400,
    }),
    'objects as users': () => ({ body: `{"users":${elements(MB - 20)}}`, status: 400 }),
    'objects as metadata': () => ({
      body: `{"users":[{"name":"a","email":"a@example.com","metadata":{"a":${elements(MB - 80)}}}]}`,
      status: [200, 400],
    }),
    'full users are looked at': ({ heavy }) =>
      batch(
        heavy.emails.map((email) => ({ email, name: 'Changed' })),
        dry,
      ),
    'full users are changed': ({ heavy }, n) =>
      batch(
        heavy.emails.map((email) => ({ email, role: n % 2 ? 'admin' : 'viewer' })),
        { mode: 'upsert' },
      ),
  },
};
