import type { QueryRunner } from 'typeorm';
import type { InTransaction, PreparedMigration } from '../src/database/migrate';

/** A longer build of an index would keep writes from the table for longer than this. */
const MAX_BUILD = '60s';

const QUERY_CANCELED = '57014';

const EMAIL_KEY = 'users_organization_id_email_key_key';

/** By name. Each is the key of one order of a list; those with a role are for lists of few among many. */
const INDEXES = {
  // The search for emails that begin with something is answered, in the order of names, by this index alone.
  users_organization_id_email_key_name_key: `UNIQUE INDEX {name} ON users (organization_id, email_key) INCLUDE (name_key, name, id)`,
  users_organization_id_email_fold_idx: `INDEX {name} ON users (organization_id, email_fold) INCLUDE (name_key, name, id) WHERE email_fold <> ''`,
  users_organization_id_role_updated_at_id_idx: `INDEX {name} ON users (organization_id, role, updated_at, id)`,
  users_organization_id_role_name_key_name_id_idx: `INDEX {name} ON users (organization_id, role, name_key, name, id)`,
  users_organization_id_role_email_key_idx: `INDEX {name} ON users (organization_id, role, email_key)`,
};

/**
 * Each index is built in a transaction of its own, which keeps writes waiting for a minute at most: some 20 million users. In a
 * larger database an operator builds it with CONCURRENTLY, which a transaction cannot, and what exists is not built again.
 */
export class IndexUsers1763700000003 implements PreparedMigration {
  async prepare(inTransaction: InTransaction): Promise<void> {
    for (const [name, definition] of Object.entries(INDEXES))
      await inTransaction((runner) => build(runner, name, definition));
  }

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE users DROP CONSTRAINT ${EMAIL_KEY}, ADD CONSTRAINT ${EMAIL_KEY} UNIQUE USING INDEX users_organization_id_email_key_name_key`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX IF EXISTS ${name}`);
    await runner.query(
      `ALTER TABLE users DROP CONSTRAINT ${EMAIL_KEY}, ADD CONSTRAINT ${EMAIL_KEY} UNIQUE (organization_id, email_key) INCLUDE (name_words, id)`,
    );
  }
}

/** Builds the index unless it exists. Replicas that migrate at the same time wait for each other. */
async function build(runner: QueryRunner, name: string, definition: string): Promise<void> {
  await runner.query(`SELECT set_config('lock_timeout', '0', true)`);
  await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('ums:indexes:' || current_schema(), 0))`);
  await runner.query(
    `SELECT set_config('lock_timeout', '60s', true), set_config('statement_timeout', '${MAX_BUILD}', true)`,
  );
  const byHand = `CREATE ${definition.replace('INDEX {name}', `INDEX CONCURRENTLY ${name}`)};`;
  const [index] = await runner.query(
    `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  );
  if (index?.isValid) return;
  if (index)
    throw new Error(
      `The index ${name} is invalid, because an attempt to build it failed. Run: DROP INDEX CONCURRENTLY ${name}; ${byHand} Then run the migration again.`,
    );
  await runner.query(`CREATE ${definition.replace('{name}', name)}`).catch((cause: Error) => {
    if ((cause as { code?: string }).code !== QUERY_CANCELED) throw cause;
    throw new Error(
      `Building the index ${name} takes longer than ${MAX_BUILD}. Build it without locking out writes: ${byHand} Then run the migration again.`,
      { cause },
    );
  });
}
