import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apart from the new column, because ALTER TABLE blocks reads until its transaction ends. */
export class IndexExternalIds1764200000081 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Users without an external id have no entry, and cost no write.
    await runner.query(`
      CREATE UNIQUE INDEX IF NOT EXISTS users_organization_id_external_id_key ON users (organization_id, external_id)
        WHERE external_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX users_organization_id_external_id_key');
  }
}
