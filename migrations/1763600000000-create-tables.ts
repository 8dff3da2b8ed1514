import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Constraints and indexes are named `<table>_<columns>_<key|idx|check>`; the service tells a conflict by its name.
 * Ids and sort keys compare by code point, whatever the database's locale.
 */
export class CreateTables1763600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        id         text COLLATE "C" NOT NULL,
        name       text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT organizations_pkey PRIMARY KEY (id)
      )`);

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
        created_at      timestamptz(3) NOT NULL DEFAULT now(),
        updated_at      timestamptz(3) NOT NULL DEFAULT now(),
        name_words      text COLLATE "C" NOT NULL,
        email_words     text COLLATE "C" NOT NULL,
        metadata_words  text COLLATE "C" NOT NULL,
        -- Capitals, of which there are no others, for the punctuation of emails, which trigrams do not know.
        search_text     text COLLATE "C" NOT NULL GENERATED ALWAYS AS
          (translate(name_words || E'\\n' || email_words || E'\\n usr_ ' || substr(id, 5) || E'\\n' || metadata_words, '.@-_', 'QXZJ')) STORED,
        CONSTRAINT users_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
        -- The search for emails that begin with something is answered, in the order of names, by this index alone.
        CONSTRAINT users_organization_id_email_key_key UNIQUE (organization_id, email_key) INCLUDE (name_words, id),
        CONSTRAINT users_role_check CHECK (role IN ('member', 'admin', 'viewer')),
        CONSTRAINT users_metadata_check CHECK (json_typeof(metadata) = 'object')
      )`);
    // One index for each sort order of the list; that by email is the unique constraint.
    await runner.query(
      `CREATE INDEX users_organization_id_created_at_id_idx ON users (organization_id, created_at, id)`,
    );
    await runner.query(
      `CREATE INDEX users_organization_id_updated_at_id_idx ON users (organization_id, updated_at, id)`,
    );
    await runner.query(
      `CREATE INDEX users_organization_id_name_key_name_id_idx ON users (organization_id, name_key, name, id)`,
    );
    // And one for a role that few have.
    await runner.query(
      `CREATE INDEX users_organization_id_role_created_at_id_idx ON users (organization_id, role, created_at, id)`,
    );

    await runner.query(`
      CREATE TABLE tokens (
        id              text COLLATE "C" NOT NULL,
        organization_id text COLLATE "C" NOT NULL,
        name            text NOT NULL,
        hash            bytea NOT NULL,
        hint            text NOT NULL,
        scopes          text[] NOT NULL,
        expires_in      text,
        expires_at      timestamptz(3),
        created_at      timestamptz(3) NOT NULL DEFAULT now(),
        last_used_at    timestamptz(3),
        revoked_at      timestamptz(3),
        CONSTRAINT tokens_pkey PRIMARY KEY (id),
        CONSTRAINT tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
        CONSTRAINT tokens_hash_key UNIQUE (hash),
        CONSTRAINT tokens_scopes_check
          CHECK (scopes <> '{}' AND scopes <@ ARRAY['users:read', 'users:write', 'users:delete', 'admin'])
      )`);
    await runner.query(
      `CREATE INDEX tokens_organization_id_created_at_id_idx ON tokens (organization_id, created_at, id)`,
    );

    // What a crash may empty: a window lasts a minute.
    await runner.query(`
      CREATE UNLOGGED TABLE rate_limit_windows (
        token_id   text COLLATE "C" NOT NULL,
        started_ms bigint NOT NULL,
        hits       integer NOT NULL,
        CONSTRAINT rate_limit_windows_pkey PRIMARY KEY (token_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE rate_limit_windows, tokens, users, organizations`);
  }
}
