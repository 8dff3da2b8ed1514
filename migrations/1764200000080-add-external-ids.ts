import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The caller's own id of a user. A user without one takes no more space than before. */
export class AddExternalIds1764200000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users ADD external_id text COLLATE "C"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP external_id');
  }
}
