import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What directories know of users beyond what the API shows of them. */
export class CreateScimUsers1764200000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of a user who has been deleted, too, until it is purged. So it does not refer to users.
      CREATE TABLE scim_users (
        organization_id text COLLATE "C" NOT NULL,
        user_id         text COLLATE "C" NOT NULL,
        user_name       text COLLATE "C" NOT NULL,
        external_id     text COLLATE "C",
        attributes      json NOT NULL, -- all others
        email           text COLLATE "C" NOT NULL, -- the user's, when the directory wrote it
        name            text COLLATE "C" NOT NULL,
        keys            text[] COLLATE "C" NOT NULL, -- what filters find the user by, none while it is deleted
        CONSTRAINT scim_users_pkey PRIMARY KEY (organization_id, user_id),
        CONSTRAINT scim_users_attributes_check CHECK (json_typeof(attributes) = 'object')
      );
      ALTER TABLE scim_users ALTER organization_id SET STATISTICS 0, ALTER keys SET STATISTICS 0; -- as in users
      CREATE INDEX scim_users_organization_id_keys_idx ON scim_users USING gin (organization_id, keys)
        WITH (gin_pending_list_limit = 256);

      -- The form in which user names are compared; null for a user without one, whose email is its user name.
      ALTER TABLE users ADD user_name_key text COLLATE "C";
      ALTER TABLE deleted_users ADD user_name_key text COLLATE "C"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE deleted_users DROP user_name_key;
      ALTER TABLE users DROP user_name_key;
      DROP TABLE scim_users`);
  }
}
