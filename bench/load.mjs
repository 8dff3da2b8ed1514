// Fills a database with sample users in large batches; `withoutIndexes` drops the search indexes for the load.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { person } = require('../dist/src/demo/people.js');
const { columnsOf, TEXT_PARTS, wordsOf, WRITTEN_COLUMNS } = require('../dist/src/users/user-columns.js');
const { newId } = require('../dist/src/database/id.js');

const BATCH = 2_000;

const written = WRITTEN_COLUMNS.map(({ column }) => column).join(', ');
const types = [...WRITTEN_COLUMNS, ...TEXT_PARTS.map((column) => ({ column, type: 'text' }))]
  .map(({ column, type }) => `${column} ${type}`)
  .join(', ');

/** Creates organizations of equal size and returns their ids. */
export async function load(client, users, organizations, say = () => {}) {
  const ids = Array.from({ length: organizations }, () => newId('org'));
  await client.query(
    `INSERT INTO organizations (id, name) SELECT id, 'Bench' FROM unnest($1::text[]) AS o (id)`,
    [ids],
  );
  const vocabulary = new Map();
  for (let from = 0; from < users; from += BATCH) {
    const rows = [];
    for (let n = from; n < Math.min(from + BATCH, users); n++) {
      const organization = ids[n % organizations];
      const columns = columnsOf(person(n));
      rows.push({ organization, id: newId('usr'), at: n, ...columns });
      for (const word of wordsOf(columns)) vocabulary.set(`${organization} ${word}`, [organization, word]);
    }
    await client.query(
      `WITH u AS MATERIALIZED (SELECT * FROM json_to_recordset($1) AS u (organization text, id text, ${types}, at int)),
       inserted AS (
         INSERT INTO users (organization_id, id, ${written}, created_at, updated_at)
         SELECT organization, id, ${written},
                timestamptz '2026-01-01' + at * interval '1 second', timestamptz '2026-06-01' - at * interval '1 second'
         FROM u
       )
       INSERT INTO user_search (organization_id, user_id, name_key, name, text)
       SELECT organization, id, name_key, name, name_text || E'\\n@' || email_text || E'\\n#' || metadata_text FROM u`,
      [JSON.stringify(rows)],
    );
    if (from % 100_000 === 0) say(`${from} users`);
  }
  const words = [...vocabulary.values()];
  for (let from = 0; from < words.length; from += BATCH) {
    const batch = words.slice(from, from + BATCH).map(([organization, word]) => ({ organization, word }));
    await client.query(
      `INSERT INTO search_words (organization_id, word)
       SELECT organization, word FROM json_to_recordset($1) AS w (organization text, word text)`,
      [JSON.stringify(batch)],
    );
  }
  say(`${words.length} words`);
  return ids;
}

/** Drops the named indexes, runs `fill` and recreates the indexes; returns the milliseconds that each took. */
export async function withoutIndexes(client, names, fill) {
  const { rows } = await client.query(
    `SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY ($1)`,
    [names],
  );
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`);
  await fill();
  const took = {};
  for (const { indexname, indexdef } of rows) {
    const started = performance.now();
    await client.query(indexdef);
    took[indexname] = Math.round(performance.now() - started);
  }
  return took;
}
