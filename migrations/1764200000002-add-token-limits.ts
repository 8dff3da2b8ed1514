import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddTokenLimits1764200000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD COLUMN rate_limit integer, -- requests a minute; without one, the limit of the service
        ADD COLUMN created_by json     -- who signed in for the token: issuer, subject, name
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE tokens DROP COLUMN rate_limit, DROP COLUMN created_by`);
  }
}
