import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRateLimits1764100000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A crash may empty it: a window lasts a minute.
      CREATE UNLOGGED TABLE rate_limit_windows (
        organization_id text COLLATE "C" NOT NULL,
        token_id        text COLLATE "C" NOT NULL,
        started_ms      bigint NOT NULL,
        hits            integer NOT NULL,
        counted_ms      bigint NOT NULL,
        CONSTRAINT rate_limit_windows_pkey PRIMARY KEY (organization_id, token_id)
      );

      -- The hashes of networks that have reported leaks within the last hour.
      CREATE TABLE leak_reporters (
        network_hash text COLLATE "C" NOT NULL,
        started_at   timestamptz(3) NOT NULL,
        reports      integer NOT NULL,
        CONSTRAINT leak_reporters_pkey PRIMARY KEY (network_hash)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE leak_reporters, rate_limit_windows`);
  }
}
