import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which of a user's SCIM attributes no directory has set. */
export class AddDerivedAttributes1764200000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE scim_users ADD derived text[] COLLATE "C" DEFAULT '{}' NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE scim_users DROP derived');
  }
}
