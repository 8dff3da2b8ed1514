import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRateLimits1764100000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of tokens, and of networks that report leaks. A crash may empty it: a window lasts an hour at most.
      CREATE UNLOGGED TABLE rate_limit_windows (
        organization_id text COLLATE "C" NOT NULL,
        token_id        text COLLATE "C" NOT NULL,
        started_ms      bigint NOT NULL,
        hits            integer NOT NULL,
        counted_ms      bigint NOT NULL,
        CONSTRAINT rate_limit_windows_pkey PRIMARY KEY (organization_id, token_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE rate_limit_windows`);
  }
}
