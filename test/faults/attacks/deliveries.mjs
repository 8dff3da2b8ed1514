// What organizations can do to the deliveries of others, and what a test of deliveries needs besides.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askFor, newAgent, repeat, tally, until } from '../load.mjs';
import { insertEvents, insertUsers, newId } from '../rows.mjs';
import { SHORT } from '../run.mjs';

/** What a service or a host needs to send webhooks to receivers of a test. */
export const WEBHOOKS = {
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

/** A webhook of an organization to which no event is sent. */
const SILENT = { url: 'http://127.0.0.1:9/', types: ['webhook.disabled'] };

const post = (url, path, token, body) => askFor(url, path, { method: 'POST', token, body });

/** Returns the id. */
export const newWebhook = async (url, token, webhook) =>
  (await post(url, '/api/v1/webhooks', token, webhook)).id;

/** A receiver that ends with the test. */
async function startReceiver(t, handle) {
  const server = createServer((request, response) => handle(request.resume(), response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}/`;
}

/** A deleted user whom nobody has. */
const UNKNOWN = `/api/v1/deleted-users/usr_${'0'.repeat(26)}`;
/** The organization's connections: half of those of the host. */
const SHARE = 5;
/** A statement that waits for a lock takes two seconds, so one of these waits for five or six. */
const SOME_CALLERS = 16;

/**
 * Fills the organization's share of the connections: requests of it wait for a lock, which takes no CPU, so that the
 * attack is the same on any machine. The table is one that the other tenant does not use. Returns its end.
 */
async function fillShare({ url, place }, admin) {
  const sql = 'LOCK TABLE deleted_users IN ACCESS EXCLUSIVE MODE';
  const release = await place.server.hold(sql, [], place.database);
  const agent = newAgent(SOME_CALLERS);
  const load = repeat(SOME_CALLERS, () => ask(url, UNKNOWN, { token: admin, agent }));
  const waiting = `SELECT FROM pg_locks WHERE relation = 'deleted_users'::regclass AND NOT granted`;
  await until(async () => (await place.query(waiting)).length >= SHARE);
  return async () => {
    await release();
    return tally(await load.stop());
  };
}

/** An organization with a webhook. */
async function newOrganization({ url, place }, name) {
  const organization = await place.newOrganization(name);
  await newWebhook(url, organization.admin, SILENT);
  return organization;
}

const MEMBERS = 24_000;
/** Three jobs of a process number them; with a full share it takes them longer than a run. */
const BACKLOG = 50_000;
const EMPTY_EVENT = '{"user":{},"previous":{}}';

/** The organizations of slow receivers, the webhooks of each, and what is sent to each. */
const SLOW_ORGANIZATIONS = 3;
const SLOW_WEBHOOKS = 20;
const TESTS = SHORT ? 2 : 5;
/** The short form holds the answers until the quiet tenant has its events; the service allows 15 s. */
const HELD_MS = SHORT ? Infinity : 14_000;

/** Receivers that succeed, but slowly. `ended` counts the requests that the service has given up. */
async function startSlowReceivers(t) {
  const state = { held: new Set(), ended: 0, most: 0 };
  const answer = (response) => {
    if (state.held.delete(response)) response.writeHead(204).end();
  };
  state.answerAll = () => [...state.held].forEach(answer);
  state.url = await startReceiver(t, (_request, response) => {
    state.held.add(response);
    state.most = Math.max(state.most, state.held.size);
    response.once('close', () => state.held.delete(response) && state.ended++);
    if (HELD_MS < Infinity) setTimeout(answer, HELD_MS, response).unref();
  });
  return state;
}

/** Three organizations with twenty webhooks each. */
const slowReceivers = {
  async prepare({ t, url, place }) {
    const state = await startSlowReceivers(t);
    const webhooks = [];
    for (let n = 0; n < SLOW_ORGANIZATIONS; n++) {
      const { admin } = await place.newOrganization(`Slow ${n}`);
      for (let i = 0; i < SLOW_WEBHOOKS; i++) {
        const webhook = { ...SILENT, url: `${state.url}${n}/${i}` };
        webhooks.push({ admin, id: await newWebhook(url, admin, webhook) });
      }
    }
    return { state, webhooks };
  },
  async send({ url }, { state, webhooks }) {
    const test = ({ admin, id }) => post(url, `/api/v1/webhooks/${id}/test`, admin);
    await Promise.all(webhooks.flatMap((webhook) => Array.from({ length: TESTS }, () => test(webhook))));
    // Until the service opens no more connections.
    for (let before = -1; state.held.size === 0 || state.held.size > before;) {
      before = state.held.size;
      await sleep(1_000);
    }
    return {
      isOver: () => state.ended > 0,
      async end() {
        const outcome = { 'held at once': state.most, 'given up': state.ended };
        state.answerAll();
        return outcome;
      },
    };
  },
};

/**
 * Beside what harness.mjs says:
 * - `events`: those of the quiet tenant, where others than usual are needed.
 * - `inFull`: it makes events late, but in a short run not so late that they do not come.
 */
export const ATTACKS = [
  {
    // With one token and two requests at a time. Each is thousands of events, made faster than they are numbered.
    name: 'an organization that moves all its users in and out of groups',
    inFull: true,
    async prepare(a) {
      const { id, admin } = await newOrganization(a, 'Members');
      const users = await insertUsers(a.place.query, id, MEMBERS, { prefix: 'member-' });
      const newGroup = async (displayName) =>
        (await post(a.url, '/scim/v2/Groups', admin, { displayName })).id;
      return { id, admin, users, groups: [await newGroup('One'), await newGroup('Two')] };
    },
    async send({ url, place }, { id, admin, users, groups }) {
      const operation = (n) =>
        n % 2 ? { op: 'remove', path: 'members' } : { op: 'add', path: 'members', value: users };
      // Nest's own parser in the host, which does not read this type, takes bodies up to 100 KB.
      const headers = { 'Content-Type': 'application/scim+json' };
      const seen = new Set();
      const load = repeat(groups.length, async (n, caller) => {
        const body = { Operations: [operation(n)] };
        const path = `/scim/v2/Groups/${groups[caller]}`;
        const answer = await ask(url, path, { method: 'PATCH', token: admin, body, headers });
        seen.add(caller);
        return answer;
      });
      await until(() => seen.size === groups.length);
      return {
        async end() {
          const sql = `SELECT count(*)::integer AS unnumbered FROM events WHERE organization_id = $1 AND sequence IS NULL`;
          const [unnumbered] = await place.query(sql, [id]);
          return { ...tally(await load.stop()), ...unnumbered };
        },
      };
    },
  },
  {
    // Each statement that numbers its events waits.
    name: 'an organization with a full share and 50,000 new events',
    prepare: (a) => newOrganization(a, 'Share'),
    async send(a, { id, admin }) {
      const end = await fillShare(a, admin);
      await insertEvents(a.place.query, id, BACKLOG, EMPTY_EVENT);
      return { end };
    },
  },
  {
    // They take half a second of CPU, so that each statement of others takes longer. The other tenant makes 16 events a
    // second, which its ordered webhook gets in time only if each waits for few.
    name: 'an organization with a full share of long reads',
    inFull: true,
    events: { count: 200, everyMs: 60 },
    async prepare({ place }) {
      await place.query('ALTER TABLE deleted_users RENAME TO all_deleted_users');
      await place.query(`CREATE VIEW deleted_users AS SELECT * FROM all_deleted_users
        WHERE (SELECT count(*) > 0 FROM generate_series(1, 2500000))`);
      return place.newOrganization('Reads');
    },
    async send({ url }, { admin }) {
      const agent = newAgent(SOME_CALLERS);
      const load = repeat(SOME_CALLERS, () => ask(url, UNKNOWN, { token: admin, agent }));
      await until(() => load.answers.length > 0);
      return { end: async () => tally(await load.stop()) };
    },
  },
  { name: 'sixty slow receivers', ...slowReceivers },
];

/**
 * A webhook for which very many deliveries wait, as in the database of a former release, which had no bound for them.
 * The first `due` of them are sent at once, and the others tomorrow. Its receiver is gone, and counts its requests.
 */
export async function waitingWebhook(t, { place, url }, count, due = 0) {
  const { query } = place;
  const { id: organization, admin } = await place.newOrganization('Waiting');
  const seen = { count: 0 };
  const receiver = await startReceiver(t, (_request, response) => {
    seen.count++;
    response.writeHead(410).end();
  });
  const id = await newWebhook(url, admin, { url: receiver, types: ['webhook.disabled'] });
  await query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, attempts, next_attempt_at)
     SELECT $1, 'dlv_' || substr($2, 5, 20) || lpad(to_hex(n), 6, '0'), $2, $3, 'webhook.test', true, 1,
       now() + CASE WHEN n <= $5::integer THEN interval '0' ELSE interval '1 day' END
     FROM generate_series(1, $4::integer) AS n`,
    [organization, id, newId('evt'), count, due],
  );
  if (due > 0) await query('UPDATE webhooks SET due_at = now() WHERE id = $1', [id]);
  return {
    seen,
    send: (method, more = '', body) =>
      ask(url, `/api/v1/webhooks/${id}${more}`, { method, token: admin, body }),
    /** Whether the service has disabled it because of its receiver. */
    async isGone() {
      const sql = `SELECT FROM webhooks WHERE id = $1 AND NOT enabled AND disabled_reason = 'gone'`;
      return (await query(sql, [id])).length > 0;
    },
  };
}
