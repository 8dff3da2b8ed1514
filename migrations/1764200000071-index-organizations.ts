import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apart from the new columns, because ALTER TABLE blocks reads until its transaction ends. */
export class IndexOrganizations1764200000071 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE organizations SET updated_at = created_at');
    await runner.query(`
      CREATE INDEX IF NOT EXISTS organizations_created_at_id_idx ON organizations (created_at, id);
      CREATE INDEX IF NOT EXISTS organizations_is_deleting_idx ON organizations (id) WHERE is_deleting`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP INDEX organizations_is_deleting_idx; DROP INDEX organizations_created_at_id_idx',
    );
  }
}
