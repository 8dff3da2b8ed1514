// What the workers of a cluster do for a request: all of it on the node of the organization, and without two-phase
// commit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, askFor, until } from '../faults/load.mjs';
import { report } from '../faults/run.mjs';
import { openPlace } from './place.mjs';
import { isControl, LOGGING, logOf, statementsIn } from './statements.mjs';

// `most` is how many statements the node may get, the rate limit included, BEGIN and COMMIT not.
const place = await openPlace({
  settings: { ...LOGGING, log_statement: 'all' },
  // One connection, so that the coordinator has opened those to the workers before anything is counted.
  environment: { DATABASE_POOL_SIZE: '1' },
});
const { replica } = place;
let marks = 0;

const logsOf = () => place.workers.map(logOf);

/** Waits until all that the workers have done is in their logs. */
async function mark() {
  const text = `'mark ${++marks}'`;
  for (const worker of place.workers) await place.queryOn(worker, `SELECT ${text}`);
  await until(() => logsOf().every((log) => log.includes(text)));
  return logsOf().map(({ length }) => length);
}

/**
 * Numbers events, looks in the background for webhooks and for organizations that have something to do, and deletes
 * what has expired, whenever its time has come.
 */
const isBackground = (sql) =>
  /event_heads|sequence IS NULL|webhook|SELECT DISTINCT organization_id AS id|FOR UPDATE SKIP LOCKED/.test(
    sql,
  );

/** The statements that the coordinator sends to each worker while `task` runs. */
async function statementsOf(task) {
  const from = await mark();
  await task();
  await mark();
  return logsOf().map((log, i) => statementsIn(log.slice(from[i])).filter((sql) => !isBackground(sql)));
}

const counter = { n: 0 };
const body = () => ({ name: `Grace ${++counter.n}`, email: `grace-${counter.n}@example.com` });

const operation = (one) => ({ Operations: [one] });
const group = (ids) => ({
  displayName: `Group ${++counter.n}`,
  members: ids.map((value) => ({ value })),
});

/** A path names the user, a group, or one of two users who have been `created`, and are in the group `withMembers`. */
const REQUESTS = {
  get: { most: 2, request: 'GET /api/v1/users/:userId' },
  list: { most: 2, request: 'GET /api/v1/users?limit=20' },
  // Rank by rank.
  'search of one state': { most: 9, request: 'GET /api/v1/users/search?q=ada&active=true' },
  create: { most: 5, request: 'POST /api/v1/users', body },
  'create with a key': {
    most: 7,
    request: 'POST /api/v1/users',
    body,
    headers: () => ({ 'Idempotency-Key': `key-${counter.n}` }),
  },
  'PATCH a role': {
    most: 4,
    request: 'PATCH /api/v1/users/:userId',
    body: () => ({ role: counter.n++ % 2 ? 'admin' : 'viewer' }),
  },
  'PATCH a name': {
    most: 8, // one looks for what a directory has given of the user
    request: 'PATCH /api/v1/users/:userId',
    body: () => ({ name: body().name }),
  },
  // Takes the user out of its groups, and out of the reach of filters of SCIM.
  delete: { most: 8, request: 'DELETE /api/v1/users/:created' },
  'SCIM: find a user': {
    most: 3,
    request: 'GET /scim/v2/Users?filter=userName%20eq%20%22ada-1@example.com%22',
  },
  'SCIM: PATCH of active': {
    most: 8,
    request: 'PATCH /scim/v2/Users/:userId',
    body: () => operation({ op: 'Replace', path: 'active', value: counter.n++ % 2 ? 'True' : 'False' }),
  },
  'SCIM: create a group with members': {
    most: 7,
    request: 'POST /scim/v2/Groups',
    body: ({ created }) => group(created),
  },
  'SCIM: get a group': { most: 3, request: 'GET /scim/v2/Groups/:groupId', withMembers: true },
  'SCIM: add a member': {
    most: 7,
    request: 'PATCH /scim/v2/Groups/:groupId',
    body: ({ created }) => operation({ op: 'Add', path: 'members', value: [{ value: created.pop() }] }),
  },
  'SCIM: remove a member': {
    most: 7,
    request: 'PATCH /scim/v2/Groups/:groupId',
    withMembers: true,
    body: ({ created }) => operation({ op: 'Remove', path: `members[value eq "${created.pop()}"]` }),
  },
  'groups of the API': { most: 2, request: 'GET /api/v1/groups' },
};

for (const [name, { most, request, body: bodyOf, headers, withMembers }] of Object.entries(REQUESTS))
  test(`${name}: one node, no two-phase commit, few statements`, async (t) => {
    for (const organization of place.organizations) {
      const { token } = organization;
      const create = async (path, body) =>
        (await askFor(replica.url, path, { method: 'POST', token, body })).id;
      const created = [];
      for (let n = 0; n < 2; n++) created.push(await create('/api/v1/users', body()));
      const groupId = await create('/scim/v2/Groups', group(withMembers ? created : []));
      const known = {
        userId: () => organization.userId,
        groupId: () => groupId,
        created: () => created.pop(),
      };
      const [method, path] = request.split(' ');
      const send = () =>
        ask(
          replica.url,
          path.replace(/:(\w+)/, (_, id) => known[id]()),
          { method, token, body: bodyOf?.({ created }), headers: headers?.() },
        );
      await send();
      let answer;
      const statements = await statementsOf(async () => (answer = await send()));
      assert.ok(answer.status < 300, answer.text);
      const own = place.workers.findIndex(({ port }) => port === organization.port);
      const counted = statements[own].filter((sql) => !isControl(sql));
      report(t, { statements: counted.length, control: statements[own].length - counted.length });
      // The background numbers events in a transaction, of which its beginning and its end are left.
      const others = statements.filter((_, i) => i !== own).flat();
      assert.deepEqual(
        others.filter((sql) => !isControl(sql)),
        [],
        'no other node does anything',
      );
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
