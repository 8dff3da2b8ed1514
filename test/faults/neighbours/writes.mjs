// Attacks that write.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDirectory, SHORT } from '../scene.mjs';
import { heavy, person, wordy } from './attacker.mjs';
import { ums } from './places.mjs';

const require = createRequire(import.meta.url);
const { person: sample } = require('../../../dist/src/entry/demo/people.js');

const IMPORTED = SHORT ? 10_000 : 100_000;
const LOCKED_ROWS = 16;
const LOCK = 'SELECT FROM users WHERE id = ANY ($1) FOR UPDATE';

const plan = (n) => ({ metadata: { plan: `p${n}` } });
const role = (n) => ({ role: n % 2 ? 'admin' : 'member' });
const idle = (a) => sleep(a.seconds * 1000);

export const WRITES = {
  '16 heavy PATCHes a second of one user': {
    embedded: true,
    prepare: (a) => a.newUsers(1),
    control: (a, [id]) => a.rate(16, (n) => a.patch(id, plan(n))),
    attack: (a, [id]) => a.rate(16, () => a.patch(id, heavy())),
  },
  '16 heavy creates a second': {
    control: (a) => a.rate(16, (n) => a.create(plan(n))),
    attack: (a) => a.rate(16, () => a.create(heavy())),
  },
  '16 PATCHes a second of one locked row': {
    prepare: (a) => a.newUsers(1),
    control: (a, [id]) => a.rate(16, (n) => a.patch(id, role(n))),
    attack: (a, ids) => a.during(LOCK, [ids], () => a.rate(16, (n) => a.patch(ids[0], role(n)))),
  },
  'PATCHes of 16 locked rows at once, every second': {
    prepare: (a) => a.newUsers(LOCKED_ROWS),
    control: (a, ids) => a.burst(LOCKED_ROWS, (n) => a.patch(ids[n], plan(Math.random()))),
    attack: (a, ids) =>
      a.during(LOCK, [ids], () => a.burst(LOCKED_ROWS, (n) => a.patch(ids[n], plan(Math.random())))),
  },
  'creates of an email that is not committed, and of others': {
    prepare: (a) => a.newUsers(1),
    control: (a) => a.rate(16, () => a.create()),
    attack: (a, [id]) => {
      const { email } = person();
      const sql = 'UPDATE users SET email = $2, email_key = $2 WHERE id = $1';
      return a.during(sql, [id, email], () => a.rate(16, (n) => a.create(n % 2 ? {} : { email })));
    },
  },
  [`import of ${IMPORTED} users`]: {
    control: idle,
    async attack(a) {
      const file = join(newDirectory(), 'users.ndjson');
      const users = Array.from({ length: IMPORTED }, (_, n) => `${JSON.stringify(sample(n))}\n`);
      writeFileSync(file, users.join(''));
      await ums(a.place.environment, 'users', 'import', file, '--organization', a.organization.id);
    },
  },
  'bursts of 300 creates a second': {
    tokens: 3,
    control: (a) => a.rate(300, (n) => a.create(plan(n))),
    attack: (a) => a.burst(300, (n) => a.create(plan(n))),
  },
  'bursts of 300 creates with many new words a second': {
    tokens: 3,
    control: (a) => a.rate(300, (n) => a.create(plan(n))),
    attack: (a) => a.burst(300, () => a.create(wordy())),
  },
  'bursts of 300 PATCHes a second': {
    tokens: 3,
    prepare: (a) => a.newUsers(300),
    control: (a, ids) => a.rate(300, (n) => a.patch(ids[n % 300], plan(n))),
    attack: (a, ids) => a.burst(300, (n) => a.patch(ids[n], plan(Math.random()))),
  },
};
