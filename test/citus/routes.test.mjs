// What the workers of a cluster do for a request: all of it on the node of the organization, and without two-phase commit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startReplica, stop } from '../faults/cluster.mjs';
import { ask, until } from '../faults/load.mjs';
import { report } from '../faults/scene.mjs';
import { openPlace } from './place.mjs';
import { isControl, LOGGING, logOf, statementsIn } from './statements.mjs';

// `most` is how many statements the node may get, the rate limit included, BEGIN and COMMIT not.
let place;
let replica;
let marks = 0;

before(async () => {
  place = await openPlace({ organizations: 1, settings: { ...LOGGING, log_statement: 'all' } });
  // One connection, so that the coordinator has opened those to the workers before anything is counted.
  replica = await startReplica({ DATABASE_URL: place.url, DATABASE_POOL_SIZE: '1' });
});
after(async () => {
  await stop([replica]);
  await place.stop();
});

const logsOf = () => place.workers.map(logOf);

/** Waits until all that the workers have done is in their logs. */
async function mark() {
  const text = `'mark ${++marks}'`;
  for (const worker of place.workers) await place.queryOn(worker, `SELECT ${text}`);
  await until(() => logsOf().every((log) => log.includes(text)));
  return logsOf().map(({ length }) => length);
}

/** Numbers events in the background, whenever its time has come. */
const isNumbering = (sql) => /event_heads|sequence IS NULL/.test(sql);

/** The statements that the coordinator sends to each worker while `task` runs. */
async function statementsOf(task) {
  const from = await mark();
  await task();
  await mark();
  return logsOf().map((log, i) => statementsIn(log.slice(from[i])).filter((sql) => !isNumbering(sql)));
}

const counter = { n: 0 };
const body = () => ({ name: `Grace ${++counter.n}`, email: `grace-${counter.n}@example.com` });

const REQUESTS = {
  get: { most: 2, path: ({ userId }) => `/${userId}` },
  list: { most: 2, path: () => '?limit=20' },
  search: { most: 9, path: () => '/search?q=ada' }, // rank by rank
  create: { most: 5, method: 'POST', path: () => '', body },
  'create with a key': {
    most: 7,
    method: 'POST',
    path: () => '',
    body,
    headers: () => ({ 'Idempotency-Key': `key-${counter.n}` }),
  },
  'PATCH a role': {
    most: 4,
    method: 'PATCH',
    path: ({ userId }) => `/${userId}`,
    body: () => ({ role: counter.n++ % 2 ? 'admin' : 'viewer' }),
  },
  'PATCH a name': {
    most: 7,
    method: 'PATCH',
    path: ({ userId }) => `/${userId}`,
    body: () => ({ name: body().name }),
  },
  delete: { most: 6, method: 'DELETE', path: ({ created }) => `/${created.pop()}` },
};

for (const [name, { method = 'GET', path, body: bodyOf, headers, most }] of Object.entries(REQUESTS))
  test(`${name}: one node, no two-phase commit, few statements`, async (t) => {
    for (const organization of place.organizations) {
      const { token } = organization;
      const create = () => ask(replica.url, '/api/v1/users', { method: 'POST', token, body: body() });
      organization.created = [];
      for (let n = 0; n < 2; n++) organization.created.push(JSON.parse((await create()).text).id);
      const send = () =>
        ask(replica.url, `/api/v1/users${path(organization)}`, {
          method,
          token,
          body: bodyOf?.(),
          headers: headers?.(),
        });
      await send();
      let answer;
      const statements = await statementsOf(async () => (answer = await send()));
      assert.ok(answer.status < 300, answer.text);
      const own = place.workers.findIndex(({ port }) => port === organization.port);
      const counted = statements[own].filter((sql) => !isControl(sql));
      report(t, { statements: counted.length, control: statements[own].length - counted.length });
      assert.deepEqual(statements.filter((_, i) => i !== own).flat(), [], 'no other node does anything');
      assert.ok(!/PREPARE TRANSACTION|COMMIT PREPARED/.test(statements[own].join('\n')));
      assert.ok(
        counted.length > 0 && counted.length <= most,
        counted.map((sql) => sql.slice(0, 300)).join('\n'),
      );
    }
  });

test('events of different nodes are numbered from one sequence, so their order outlives a move', async () => {
  const [{ last }] = await place.query('SELECT max(position) AS last FROM events');
  assert.ok(Number(last) < 2 ** 48, 'a worker counts from a multiple of 2^48');
});
