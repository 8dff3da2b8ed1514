import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For whom the caller of a change has acted, in its own words. */
export class AddOnBehalfOf1764200000101 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD on_behalf_of text');
    await runner.query('ALTER TABLE token_events ADD on_behalf_of text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_events DROP on_behalf_of');
    await runner.query('ALTER TABLE events DROP on_behalf_of');
  }
}
