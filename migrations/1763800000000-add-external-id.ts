import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The id that a host application knows an organization by. */
export class AddExternalId1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organizations ADD external_id text COLLATE "C"`);
    await runner.query(
      `ALTER TABLE organizations ADD CONSTRAINT organizations_external_id_key UNIQUE (external_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organizations DROP external_id`);
  }
}
