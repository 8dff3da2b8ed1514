import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apart from the new columns, because ALTER TABLE blocks reads until its transaction ends. */
export class IndexTokenParents1764200000064 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX IF NOT EXISTS tokens_organization_id_parent_id_created_at_id_idx
        ON tokens (organization_id, parent_id, created_at, id) WHERE parent_id IS NOT NULL;
      -- Those that live.
      CREATE INDEX IF NOT EXISTS tokens_parent_id_expires_at_idx ON tokens (parent_id, expires_at)
        WHERE parent_id IS NOT NULL AND revoked_at IS NULL;
      -- Those that are deleted after their end.
      CREATE INDEX IF NOT EXISTS tokens_exchanged_expires_at_idx ON tokens (expires_at)
        WHERE window_id IS NOT NULL;
      -- The list without sessions, which may be few among many.
      CREATE INDEX IF NOT EXISTS tokens_standing_organization_id_created_at_id_idx
        ON tokens (organization_id, created_at, id) WHERE created_by IS NULL AND parent_id IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX tokens_standing_organization_id_created_at_id_idx;
      DROP INDEX tokens_exchanged_expires_at_idx;
      DROP INDEX tokens_parent_id_expires_at_idx;
      DROP INDEX tokens_organization_id_parent_id_created_at_id_idx`);
  }
}
