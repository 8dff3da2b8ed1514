import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations can be suspended, which ends all access to them, and then deleted with everything in them. */
export class AddOrganizationStates1764200000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organizations
        ADD COLUMN IF NOT EXISTS suspended boolean NOT NULL DEFAULT false,
        ADD COLUMN IF NOT EXISTS resumed_at timestamptz(3), -- the last time
        ADD COLUMN IF NOT EXISTS is_deleting boolean NOT NULL DEFAULT false, -- from then on it cannot be resumed
        ADD COLUMN IF NOT EXISTS updated_at timestamptz(3) NOT NULL DEFAULT now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE organizations DROP updated_at, DROP is_deleting, DROP resumed_at, DROP suspended',
    );
  }
}
