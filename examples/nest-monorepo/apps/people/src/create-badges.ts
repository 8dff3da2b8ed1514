import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateBadges1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE badges (
        organization_id text NOT NULL,
        user_id text NOT NULL,
        number text NOT NULL,
        PRIMARY KEY (organization_id, user_id),
        UNIQUE (organization_id, number),
        FOREIGN KEY (organization_id, user_id) REFERENCES ums.users (organization_id, id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE badges');
  }
}
