// Loads users with their search texts and events: COPY into the tables, then the indexes by their own definitions. Ten
// million take half an hour, and through batches of the API several. The indexes are as small as they can be.
import { Worker } from 'node:worker_threads';
import { connect, progress } from './scene.mjs';

const TABLES = ['users', 'user_search', 'events'];
const PIECE = 500_000;
const LOADERS = 2;

/**
 * The sizes of the organizations for so many users: one of a tenth of them, a hundred of a thousandth, and the rest of
 * a hundred users.
 */
export function sizesOf(users) {
  const sizes = [users / 10, ...Array.from({ length: 100 }, () => users / 1_000)].map(Math.floor);
  const rest = users - sizes.reduce((sum, size) => sum + size);
  return [...sizes, ...Array.from({ length: Math.ceil(rest / 100) }, () => 100)];
}

/** Fills new organizations, whose users are created in turns, over a year. */
export async function load(databaseUrl, organizations) {
  const client = await connect(databaseUrl);
  const started = performance.now();
  const now = Date.now();
  const said = (text) => progress(`${text} after ${Math.round((performance.now() - started) / 1000)} s`);
  const { constraints, indexes } = await takeIndexes(client);
  const users = organizations.reduce((sum, { size }) => sum + size, 0);
  const pieces = Array.from({ length: Math.ceil(users / PIECE) }, (_, i) => i * PIECE).values();
  const copy = async () => {
    for (const from of pieces) {
      const to = Math.min(users, from + PIECE);
      await copyPiece({ databaseUrl, organizations, users, from, to, now });
      said(`${to} users`);
    }
  };
  await Promise.all(Array.from({ length: LOADERS }, copy));
  const heads = organizations.filter(({ size }) => size > 0);
  await client.query(
    'INSERT INTO event_heads (organization_id, sequence) SELECT * FROM unnest($1::text[], $2::bigint[])',
    [heads.map(({ id }) => id), heads.map(({ size }) => size)],
  );
  await client.query(`SELECT setval('event_positions', $1)`, [users]);
  const queue = [...indexes, ...constraints.filter(({ isForeign }) => !isForeign)];
  await Promise.all(
    TABLES.map(async (table) => {
      const builder = await connect(databaseUrl);
      for (const { name, sql } of queue.filter((one) => one.table === table)) {
        await builder.query(sql);
        said(name);
      }
      await builder.end();
    }),
  );
  for (const { name, sql } of constraints.filter(({ isForeign }) => isForeign)) {
    await client.query(sql);
    said(name);
  }
  await client.query('CHECKPOINT');
  await client.end();
}

/** Drops the indexes and keys of the tables, and returns the statements that make them again. */
async function takeIndexes(client) {
  const { rows: constraints } = await client.query(
    `SELECT conrelid::regclass::text AS table, conname AS name, contype = 'f' AS "isForeign",
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS sql
     FROM pg_constraint
     WHERE contype IN ('p', 'u', 'f') AND (conrelid::regclass::text = ANY ($1) OR confrelid::regclass::text = ANY ($1))`,
    [TABLES],
  );
  const { rows: indexes } = await client.query(
    `SELECT indrelid::regclass::text AS table, indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS sql
     FROM pg_index WHERE indrelid::regclass::text = ANY ($1)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))`,
    [TABLES],
  );
  for (const { table, name } of constraints.toSorted((a, b) => Number(b.isForeign) - Number(a.isForeign)))
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  return { constraints, indexes };
}

/** In a thread of its own. */
function copyPiece(piece) {
  return new Promise((done, failed) => {
    const worker = new Worker(new URL('load-piece.mjs', import.meta.url), { workerData: piece });
    worker.once('error', failed);
    worker.once('exit', (code) => (code === 0 ? done() : failed(new Error('a piece has not been loaded'))));
  });
}
