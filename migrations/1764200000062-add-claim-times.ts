import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A claim has a time of its own beside the pause, a slow receiver is known as one, and a range is read by ids. */
export class AddClaimTimes1764200000062 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE event_cursors ADD claimed_until timestamptz(3) NOT NULL DEFAULT '-infinity';
      ALTER TABLE webhooks ADD is_slow boolean NOT NULL DEFAULT false; -- whether the last response took long
      ALTER TABLE webhook_replays
        ADD last_id text COLLATE "C" NOT NULL DEFAULT '', -- the last event that has been read
        ALTER sequence SET DEFAULT 0 -- read by processes of earlier releases only`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_replays ALTER sequence DROP DEFAULT, DROP last_id;
      ALTER TABLE webhooks DROP is_slow;
      ALTER TABLE event_cursors DROP claimed_until`);
  }
}
