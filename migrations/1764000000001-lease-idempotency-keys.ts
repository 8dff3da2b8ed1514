import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a request of several transactions hold its key while it runs: `lease` names the run, and is null once the answer is there.
 * The answer to a batch shows no user, so it has no `user_id`.
 */
export class LeaseIdempotencyKeys1764000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE idempotency_keys ADD COLUMN lease text COLLATE "C"`);
    await runner.query(`ALTER TABLE idempotency_keys ALTER COLUMN user_id DROP NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM idempotency_keys WHERE user_id IS NULL`);
    await runner.query(`ALTER TABLE idempotency_keys ALTER COLUMN user_id SET NOT NULL`);
    await runner.query(`ALTER TABLE idempotency_keys DROP COLUMN lease`);
  }
}
