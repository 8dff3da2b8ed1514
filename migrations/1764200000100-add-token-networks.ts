import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From where a token may be used; and a token of an exchange may lose all of its scopes with its parent. */
export class AddTokenNetworks1764200000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tokens
        ADD allowed_networks text[] COLLATE "C",
        DROP CONSTRAINT tokens_scopes_check,
        ADD CONSTRAINT tokens_scopes_check CHECK (
          (scopes <> '{}' OR parent_id IS NOT NULL)
          AND scopes <@ ARRAY['users:read', 'users:write', 'users:delete', 'admin'])`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM tokens WHERE scopes = '{}'`);
    await runner.query(`
      ALTER TABLE tokens
        DROP allowed_networks,
        DROP CONSTRAINT tokens_scopes_check,
        ADD CONSTRAINT tokens_scopes_check CHECK (
          scopes <> '{}' AND scopes <@ ARRAY['users:read', 'users:write', 'users:delete', 'admin'])`);
  }
}
