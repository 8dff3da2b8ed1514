import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Statistics count users up to a maximum, and estimate nothing. */
export class DropUserSamples1764200000060 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX users_sample_idx`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX users_sample_idx ON users (organization_id, reverse(id)) INCLUDE (id, active) WHERE right(id, 1) < '2'`);
  }
}
