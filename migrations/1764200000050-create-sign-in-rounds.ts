import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rounds of signing in to the dashboard that are used up. A row is needed until its round would have expired. */
export class CreateSignInRounds1764200000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE sign_in_rounds (
        id         text COLLATE "C" NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        CONSTRAINT sign_in_rounds_pkey PRIMARY KEY (id)
      );
      CREATE INDEX sign_in_rounds_expires_at_idx ON sign_in_rounds (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE sign_in_rounds`);
  }
}
