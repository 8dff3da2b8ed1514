import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens of an hour, which callers exchange a secret or a signed assertion for. */
export class AddTokenParents1764200000063 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD COLUMN IF NOT EXISTS parent_id text COLLATE "C", -- the token whose value was exchanged
        ADD COLUMN IF NOT EXISTS window_id text COLLATE "C" -- in whose window its requests count: another token's, or a subject's`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens DROP window_id, DROP parent_id');
  }
}
