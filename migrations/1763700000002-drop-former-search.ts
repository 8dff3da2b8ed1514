import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const FEATURE_NOT_SUPPORTED = '0A000';

const INDEXES = [
  'users_organization_id_search_text_idx',
  'users_organization_id_pairs_idx',
  'users_organization_id_name_words_id_idx',
  'users_organization_id_email_words_idx',
  'search_words_organization_id_spellings_idx',
];

/**
 * Drops the indexes of the former search; a later migration drops its columns, which replicas of the former release still
 * read and write. And makes the plans of all statements independent of how many users an organization has.
 */
export class DropFormerSearch1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${INDEXES.join(', ')}`);

    // Without statistics PostgreSQL takes any organization, and any role, to be one of 200, whether it has just come or has
    // most users. With them, an organization that they do not know seems to have one user, and any index seems to do.
    await withoutStatistics(runner, 'users', 'organization_id');
    await withoutStatistics(runner, 'users', 'role');
    await withoutStatistics(runner, 'search_words', 'organization_id');

    // Only the owner of the tables may do what these two do, and the role of the service need not be the owner. They run as
    // the owner, so nothing in them is looked for where others may put something of that name.
    const [{ schema }] = await runner.query(`SELECT format('%I', current_schema()) AS schema`);
    const options = `RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp`;
    const index = `${schema}.user_search_organization_id_text_idx`.replaceAll("'", "''");
    // It does not wait for a replica that is already doing the same.
    await runner.query(`
      CREATE OR REPLACE FUNCTION ums_sort_in() ${options} SET lock_timeout = '100ms'
      AS $body$ SELECT gin_clean_pending_list('${index}'::regclass) $body$`);
    await runner.query(`
      CREATE FUNCTION ums_analyze() ${options}
      AS $body$ ANALYZE ${schema}.users, ${schema}.user_search, ${schema}.search_words $body$`);
  }

  async down(): Promise<void> {
    throw new Error('The former search cannot be brought back. Restore a backup.');
  }
}

/** Keeps statistics of the column from being made, and removes those that there are: setting its type, which is the same, does. */
async function withoutStatistics(runner: QueryRunner, table: string, column: string): Promise<void> {
  await runner.query(`ALTER TABLE ${table} ALTER ${column} SET STATISTICS 0`);
  await runner.query('SAVEPOINT statistics');
  try {
    await runner.query(`ALTER TABLE ${table} ALTER ${column} TYPE text COLLATE "C"`);
    await runner.query('RELEASE SAVEPOINT statistics');
  } catch (error) {
    if ((error as { code?: string }).code !== FEATURE_NOT_SUPPORTED) throw error;
    await runner.query('ROLLBACK TO SAVEPOINT statistics');
    new Logger('Migrations').warn(
      `A view reads ${table}.${column}, so the statistics of that column stay, and some lists and searches may be slow. Drop the view, run: ALTER TABLE ${table} ALTER ${column} TYPE text COLLATE "C"; and create the view again.`,
    );
  }
}
