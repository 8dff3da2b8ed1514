import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users and, until they are restored or purged, deleted users. */
export class CreateUsers1764100000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        name            text COLLATE "C" NOT NULL,
        name_key        text COLLATE "C" NOT NULL,
        email           text COLLATE "C" NOT NULL,
        email_key       text COLLATE "C" NOT NULL,
        role            text COLLATE "C" NOT NULL,
        metadata        json NOT NULL,
        version         integer NOT NULL DEFAULT 1,
        created_at      timestamptz(3) NOT NULL DEFAULT now(),
        updated_at      timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT users_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
        -- This index alone answers a search for emails that begin with a text, in the order of names.
        CONSTRAINT users_organization_id_email_key_key UNIQUE (organization_id, email_key) INCLUDE (name_key, name, id),
        CONSTRAINT users_role_check CHECK (role IN ('member', 'admin', 'viewer')),
        CONSTRAINT users_metadata_check CHECK (json_typeof(metadata) = 'object')
      );
      -- Without statistics PostgreSQL takes any organization, and any role, to be one of 200, whether it is new or has most
      -- users. With them, an organization that they do not know seems to have one user, and any index seems to do.
      ALTER TABLE users ALTER organization_id SET STATISTICS 0, ALTER role SET STATISTICS 0;

      -- One for each order of a list. The order by email is that of the unique constraint.
      CREATE INDEX users_organization_id_created_at_id_idx ON users (organization_id, created_at, id);
      CREATE INDEX users_organization_id_updated_at_id_idx ON users (organization_id, updated_at, id);
      CREATE INDEX users_organization_id_name_key_name_id_idx ON users (organization_id, name_key, name, id);
      -- The same for lists of a role that few have.
      CREATE INDEX users_organization_id_role_created_at_id_idx ON users (organization_id, role, created_at, id);
      CREATE INDEX users_organization_id_role_updated_at_id_idx ON users (organization_id, role, updated_at, id);
      CREATE INDEX users_organization_id_role_name_key_name_id_idx ON users (organization_id, role, name_key, name, id);
      CREATE INDEX users_organization_id_role_email_key_idx ON users (organization_id, role, email_key);

      CREATE TABLE deleted_users (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        version         integer NOT NULL,
        email_key       text COLLATE "C" NOT NULL,
        fields          json NOT NULL, -- the user as it was last
        deleted_at      timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT deleted_users_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT deleted_users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
          ON DELETE CASCADE
      );
      CREATE INDEX deleted_users_organization_id_deleted_at_id_idx ON deleted_users (organization_id, deleted_at, id);
      -- Not unique: an email can be given again and deleted again.
      CREATE INDEX deleted_users_organization_id_email_key_deleted_at_id_idx ON deleted_users (organization_id, email_key, deleted_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE deleted_users, users`);
  }
}
