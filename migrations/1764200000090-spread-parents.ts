import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Statistics may know one token with most of the children, and a plan for all values would take any token for that one,
 * and read all tokens of the organization for one that has none. It counts from the next ANALYZE on.
 */
export class SpreadParents1764200000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens ALTER parent_id SET (n_distinct = 1000)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens ALTER parent_id RESET (n_distinct)');
  }
}
