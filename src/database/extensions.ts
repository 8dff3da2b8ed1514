import type { QueryRunner } from 'typeorm';
import { quoted } from './tables';

/**
 * Creates the extensions that the database lacks, and lets the rest of the transaction find the operator classes of all
 * of them, in whatever schema they are. New ones are created in `public`: in the schema of the service, they would be
 * out of reach of the service's tables in another schema, and be dropped together with it.
 */
export async function useExtensions(runner: QueryRunner, names: readonly string[]): Promise<void> {
  const missing = await missingOf(runner, names);
  if (missing.length > 0) {
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('ums:extensions', 0))`);
    for (const name of missing) await create(runner, name);
  }
  await runner.query(
    `SELECT set_config('search_path', concat_ws(', ', current_setting('search_path'), string_agg(quote_ident(nspname), ', ')), true)
     FROM (SELECT DISTINCT nspname FROM pg_extension JOIN pg_namespace AS schemas ON schemas.oid = extnamespace
           WHERE extname = ANY ($1)) AS extensions`,
    [names],
  );
}

async function missingOf(runner: QueryRunner, names: readonly string[]): Promise<string[]> {
  const rows: { name: string }[] = await runner.query(
    `SELECT name FROM unnest($1::text[]) AS name WHERE name NOT IN (SELECT extname FROM pg_extension)`,
    [names],
  );
  return rows.map(({ name }) => name);
}

async function create(runner: QueryRunner, name: string): Promise<void> {
  const [{ exists }] = await runner.query(`SELECT to_regnamespace('public') IS NOT NULL AS exists`);
  const where = exists ? ' SCHEMA public' : '';
  await runner.query(`CREATE EXTENSION IF NOT EXISTS ${quoted(name)}${where}`).catch((cause: Error) => {
    const database = runner.dataSource.driver.database;
    const message = `The search needs the extension ${name}, which this role may not create (${cause.message}). As a superuser run in the database ${database}: CREATE EXTENSION ${name}${where};`;
    throw new Error(message, { cause });
  });
}
