import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What rotations, warnings and reports of leaks need. */
export class TokenLife1764000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `warned_days` is what the last event has told of the end of a token: 14, 7 or 1 days before it, or 0 when it was over.
    await runner.query(`
      ALTER TABLE tokens
        ADD rotated_from text COLLATE "C",
        ADD warned_days  integer`);
    await runner.query(`UPDATE tokens SET warned_days = 0 WHERE expires_at <= now()`); // nobody wants to hear of these now
    await runner.query(`
      CREATE INDEX tokens_expires_at_idx ON tokens (expires_at)
      WHERE revoked_at IS NULL AND (warned_days IS NULL OR warned_days > 0)`);

    // The hashes of networks that have reported leaks within the last hour.
    await runner.query(`
      CREATE TABLE leak_reporters (
        network_hash text COLLATE "C" NOT NULL,
        started_at   timestamptz(3) NOT NULL,
        reports      integer NOT NULL,
        CONSTRAINT leak_reporters_pkey PRIMARY KEY (network_hash)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE leak_reporters`);
    await runner.query(`ALTER TABLE tokens DROP rotated_from, DROP warned_days`);
  }
}
