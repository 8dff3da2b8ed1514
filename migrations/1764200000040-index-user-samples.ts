import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A sixteenth of the users, by the last digit of their ids, in the order of the digits from the end: these are random, so how far the
 * first of them reach tells how many users there are. The other users cost this index nothing.
 */
export class IndexUserSamples1764200000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX users_sample_idx ON users (organization_id, reverse(id)) INCLUDE (id, active) WHERE right(id, 1) < '2'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX users_sample_idx`);
  }
}
