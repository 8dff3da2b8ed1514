import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a user is active: data, as the role is. A constant default does not rewrite the table. PostgreSQL may keep statistics of
 * the column, unlike of the role: no statement is planned by its value, and Citus cannot set them for a distributed table.
 */
export class AddActive1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD active boolean NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users DROP active`);
  }
}
