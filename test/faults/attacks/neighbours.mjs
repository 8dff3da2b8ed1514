// The attacks beside which a quiet tenant works, each with a control of the same rate that does no harm.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { heavy, person, wordy } from '../attacker.mjs';
import { ums } from '../replicas.mjs';
import { newDirectory, SHORT } from '../run.mjs';

const require = createRequire(import.meta.url);
const { person: sample } = require('../../../dist/src/entry/demo/people.js');
const { newTokenValue } = require('../../../dist/src/tokens/token/token-value.js');

const people = (count, more = {}) => Array.from({ length: count }, (_, n) => ({ ...sample(n), ...more }));

/** Imports users with the command line. */
async function importUsers({ environment }, { id }, users) {
  const file = join(newDirectory(), 'users.ndjson');
  writeFileSync(file, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
  await ums(environment, 'users', 'import', file, '--organization', id);
}

const MANY = SHORT ? 6_000 : 30_000;

/** The users of the organizations that attacks share, because they take long to fill. */
const KINDS = {
  large: () => people(MANY),
  /** A page of 200 has 3 MB. Numbers are not searched. */
  heavy: () => people(200, { metadata: { t: Array.from({ length: 900 }, (_, n) => 1e15 + n) } }),
};
const shared = new Map();

/** The organization of this kind, which the first caller fills; a new, empty one without a kind. */
export function organizationIn(place, kind) {
  if (!kind) return place.newOrganization('Attacker');
  const fill = async () => {
    const organization = await place.newOrganization(kind);
    await importUsers(place, organization, KINDS[kind]());
    return organization;
  };
  if (!shared.has(kind)) shared.set(kind, fill());
  return shared.get(kind);
}

const LOCKED_ROWS = 16;
const LOCK = 'SELECT FROM users WHERE id = ANY ($1) FOR UPDATE';
const IMPORTED = SHORT ? 10_000 : 100_000;

const plan = (n) => ({ metadata: { plan: `p${n}` } });

const WRITES = [
  {
    name: '16 heavy PATCHes a second of one user',
    prepare: (a) => a.newUsers(1),
    control: (a, [id]) => a.rate(16, (n) => a.patch(id, plan(n))),
    send: (a, [id]) => a.rate(16, () => a.patch(id, heavy())),
  },
  {
    name: 'PATCHes of 16 locked rows at once, every second',
    prepare: (a) => a.newUsers(LOCKED_ROWS),
    control: (a, ids) => a.burst(LOCKED_ROWS, (n) => a.patch(ids[n], plan(Math.random()))),
    send: (a, ids) =>
      a.during(LOCK, [ids], () => a.burst(LOCKED_ROWS, (n) => a.patch(ids[n], plan(Math.random())))),
  },
  {
    name: 'creates of an email that is not committed, and of others',
    prepare: (a) => a.newUsers(1),
    control: (a) => a.rate(16, () => a.create()),
    send: (a, [id]) => {
      const { email } = person();
      const sql = 'UPDATE users SET email = $2, email_key = $2 WHERE id = $1';
      return a.during(sql, [id, email], () => a.rate(16, (n) => a.create(n % 2 ? {} : { email })));
    },
  },
  {
    name: `import of ${IMPORTED} users`,
    control: (a) => sleep(a.seconds * 1000),
    send: (a) => importUsers(a.place, a.organization, people(IMPORTED)),
  },
  {
    name: 'bursts of 300 creates with many new words a second',
    tokens: 3,
    control: (a) => a.rate(300, (n) => a.create(plan(n))),
    send: (a) => a.burst(300, () => a.create(wordy())),
  },
  {
    name: 'bursts of 300 PATCHes a second',
    tokens: 3,
    prepare: (a) => a.newUsers(300),
    control: (a, ids) => a.rate(300, (n) => a.patch(ids[n % 300], plan(n))),
    send: (a, ids) => a.burst(300, (n) => a.patch(ids[n], plan(Math.random()))),
  },
];

const SEARCHES = {
  'two marks': '? !',
  'names of one character': '龘 齉',
  'pairs of letters that nobody has': 'zq 7x 3k',
  'ten words': 'ada grace lee kim tom eva max ben leo mia',
  'two typos': 'jonh smtih',
  'a word in every email': 'example',
};
const search = (q) => `/search?q=${encodeURIComponent(q)}`;

const READS = [
  ...Object.entries(SEARCHES).map(([what, q]) => ({
    name: `16 searches a second for ${what}: ${q}`,
    organization: 'large',
    control: (a) => a.rate(16, () => a.get(search('smith'))),
    send: (a) => a.rate(16, () => a.get(search(q))),
  })),
  {
    name: '16 pages of 1 MB a second',
    organization: 'heavy',
    control: (a) => a.rate(16, () => a.get('?limit=1')),
    send: (a) => a.rate(16, () => a.get('?limit=200')),
  },
  {
    name: 'bursts of 300 lists a second',
    tokens: 3,
    organization: 'large',
    control: (a) => a.rate(300, () => a.get('?limit=20')),
    send: (a) => a.burst(300, () => a.get('?limit=20')),
  },
];

const TOKENS = Array.from({ length: 20_000 }, newTokenValue);
let turn = 0;

const STALLING = 40;
const STALLED = 16;

/** The admin tokens of new organizations. */
const newOrganizations = async ({ place }) => {
  const made = Array.from({ length: STALLING }, (_, n) => place.newOrganization(`Stalling ${n}`));
  return (await Promise.all(made)).map(({ admin }) => admin);
};

/** Keeps bodies that stop short of their last byte; another one follows each that is answered, once a second. */
async function stall(a, tokens) {
  const sockets = new Set();
  let isOver = false;
  const body = '{'.padEnd(64 * 1024 - 1);
  const open = (token) => {
    if (isOver) return;
    const socket = connect(new URL(a.url).port, '127.0.0.1').setEncoding('latin1');
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', (text) => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text);
      const [, seconds] = /^retry-after: (\d+)/im.exec(text) ?? [];
      a.answers.push({ status: Number(status), headers: { 'retry-after': seconds } });
      socket.destroy();
      setTimeout(open, 1_000, token);
    });
    socket.write(
      `POST /api/v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${64 * 1024}\r\n\r\n${body}`,
    );
  };
  for (const token of tokens)
    for (let n = 0; n < STALLED; n++) setTimeout(open, Math.random() * 1_000, token);
  await sleep(a.seconds * 1000);
  isOver = true;
  a.connections = { stalled: sockets.size };
  for (const socket of sockets) socket.destroy();
}

/** By what is below the API: tokens that nobody has, bodies that never arrive. */
const CONNECTIONS = [
  {
    name: `${STALLED} bodies of each of ${STALLING} organizations that never arrive`,
    prepare: newOrganizations,
    control: (a, tokens) =>
      a.flood(STALLING * STALLED, (n) => a.request('/v1/tokens/current', tokens[n % STALLING])),
    send: stall,
  },
  {
    name: '5000 unknown tokens a second',
    control: (a) => a.flood(5_000, () => a.request('/livez')),
    send: (a) => a.flood(5_000, () => a.request('/api/v1/users', TOKENS[turn++ % TOKENS.length])),
  },
];

/**
 * Beside what harness.mjs says:
 * - `organization` names one that several attacks share; by default each gets an empty one.
 * - `tokens`: how many tokens the attack needs to stay below its limits; by default one.
 */
export const ATTACKS = [...WRITES, ...READS, ...CONNECTIONS];
