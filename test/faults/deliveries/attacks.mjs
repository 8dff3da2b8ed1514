// What one organization can do to the deliveries of others. Each attack is prepared once; `begin()` returns when it is
// in effect, and the attack goes on until `end()`, which returns what has become of it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ask, newAgent, tally, until } from '../load.mjs';
import { insertEvents, insertUsers, newWebhook, post, SILENT, unnumberedOf } from './requests.mjs';

const MEMBERS = 24_000;
/** Three jobs of a process number them; with a full share it takes them longer than a run. */
const BACKLOG = 50_000;

/** The organization's connections: half of those of the host. */
const SHARE = 5;
/** A statement that waits for a lock takes two seconds, so one of these waits for five or six. */
const SOME_CALLERS = 16;
/** Each of these waits until it is refused. */
export const MANY_CALLERS = 60;

/** A deleted user whom nobody has. */
const UNKNOWN = `/api/v1/deleted-users/usr_${'0'.repeat(26)}`;

/** Repeats the work until `stop()`, and collects what it returns. */
function loop(work) {
  const answers = [];
  let isOver = false;
  const going = (async () => {
    for (let n = 0; !isOver; n++) answers.push(await work(n));
  })();
  return {
    answers,
    async stop() {
      isOver = true;
      await going;
      return answers;
    },
  };
}

/**
 * An organization moves all its users in and out of two groups, with one token and two requests at a time. Each is
 * thousands of events, made faster than they are numbered.
 */
export async function movesMembers({ url, place }) {
  const { id, admin } = await place.newOrganization('Members');
  const users = await insertUsers(place.query, id, MEMBERS);
  await newWebhook(url, admin, SILENT);
  const newGroup = async (displayName) => (await post(url, '/scim/v2/Groups', admin, { displayName })).id;
  const groups = [await newGroup('One'), await newGroup('Two')];
  const operation = (n) =>
    n % 2 ? { op: 'remove', path: 'members' } : { op: 'add', path: 'members', value: users };
  const patch = (group) => async (n) => {
    const body = { Operations: [operation(n)] };
    // Nest's own parser in the host, which does not read this type, takes bodies up to 100 KB.
    const headers = { 'Content-Type': 'application/scim+json' };
    return ask(url, `/scim/v2/Groups/${group}`, { method: 'PATCH', token: admin, body, headers });
  };
  return {
    async begin() {
      const loops = groups.map((group) => loop(patch(group)));
      await until(() => loops.every(({ answers }) => answers.length > 0));
      return {
        async end() {
          const unnumbered = await unnumberedOf(place.query, id);
          return { ...tally((await Promise.all(loops.map(({ stop }) => stop()))).flat()), unnumbered };
        },
      };
    },
  };
}

/**
 * An organization whose share of the connections is full: requests of it wait for a lock, which takes no CPU, so that
 * the attack is the same on any machine. The table is one that the other tenant does not use.
 */
export async function fillShare({ url, place, admin, callers }) {
  const client = new pg.Client(place.database);
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE deleted_users IN ACCESS EXCLUSIVE MODE');
  const agent = newAgent(callers);
  const loops = Array.from({ length: callers }, () => loop(() => ask(url, UNKNOWN, { token: admin, agent })));
  const waiting = `SELECT FROM pg_locks WHERE relation = 'deleted_users'::regclass AND NOT granted`;
  await until(async () => (await place.query(waiting)).length >= SHARE);
  return async () => {
    await client.end(); // which rolls the transaction back
    return tally((await Promise.all(loops.map(({ stop }) => stop()))).flat());
  };
}

/** An organization whose share is full makes 50,000 events, so that each statement that numbers them waits. */
export async function fillsShare({ url, place }) {
  const { id, admin } = await place.newOrganization('Share');
  await newWebhook(url, admin, SILENT);
  return {
    async begin() {
      const release = await fillShare({ url, place, admin, callers: SOME_CALLERS });
      await insertEvents(place.query, id, BACKLOG);
      return { end: release };
    },
  };
}

/** An organization whose share is full makes an event now and then. */
export async function fillsShareForLong({ url, place }) {
  const { id, admin } = await place.newOrganization('Share');
  await newWebhook(url, admin, SILENT);
  return {
    async begin() {
      const release = await fillShare({ url, place, admin, callers: MANY_CALLERS });
      const writes = loop(async () => {
        await insertEvents(place.query, id, 1);
        await sleep(300);
      });
      return {
        async end() {
          await writes.stop();
          return release();
        },
      };
    },
  };
}

/**
 * An organization whose share is full of reads that take half a second of CPU, so that each statement of others takes
 * longer. The other tenant makes 16 events a second, which its ordered webhook gets in time only if each waits for few.
 */
export async function readsForLong({ url, place }) {
  const { admin } = await place.newOrganization('Reads');
  await place.query('ALTER TABLE deleted_users RENAME TO all_deleted_users');
  await place.query(`CREATE VIEW deleted_users AS SELECT * FROM all_deleted_users
    WHERE (SELECT count(*) > 0 FROM generate_series(1, 2500000))`);
  const agent = newAgent(SOME_CALLERS);
  const read = () => ask(url, UNKNOWN, { token: admin, agent });
  return {
    events: { count: 200, everyMs: 60 },
    async begin() {
      const loops = Array.from({ length: SOME_CALLERS }, () => loop(read));
      await until(() => loops.some(({ answers }) => answers.length > 0));
      return { end: async () => tally((await Promise.all(loops.map(({ stop }) => stop()))).flat()) };
    },
  };
}
