import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reports of leaks are counted in `rate_limit_windows`. */
export class DropLeakReporters1764000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE leak_reporters`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE leak_reporters (
        network_hash text COLLATE "C" NOT NULL,
        started_at   timestamptz(3) NOT NULL,
        reports      integer NOT NULL,
        CONSTRAINT leak_reporters_pkey PRIMARY KEY (network_hash)
      )`);
  }
}
