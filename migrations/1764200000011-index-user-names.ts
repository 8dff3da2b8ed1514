import type { MigrationInterface, QueryRunner } from 'typeorm';

/** User names are unique among user names and the emails of users without one. */
export class IndexUserNames1764200000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNIQUE INDEX users_organization_id_user_name_key ON users (organization_id, (coalesce(user_name_key, email_key)))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX users_organization_id_user_name_key`);
  }
}
