import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What sorts into the indexes of the search the entries that they gather ("pending lists"). PostgreSQL lets only their owner
 * do that, so it is done as the owner, who need not be the role of the service.
 */
export class CreateSortIn1763600000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const indexes = ['search_text', 'pairs'].map((name) => `users_organization_id_${name}_idx`);
    const [{ body }] = await runner.query(
      `SELECT string_agg(format('SELECT pg_catalog.gin_clean_pending_list(%L::pg_catalog.regclass);', format('%I.%I', current_schema(), name)), ' ') AS body
       FROM unnest($1::text[]) AS indexes (name)`,
      [indexes],
    );
    // It runs as the owner, so nothing in it is looked for where others may put something of that name. Who meets another
    // replica at it does not wait.
    await runner.query(`
      CREATE FUNCTION ums_sort_in() RETURNS void LANGUAGE sql SECURITY DEFINER
      SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $sort_in$ ${body} $sort_in$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP FUNCTION ums_sort_in()`);
  }
}
