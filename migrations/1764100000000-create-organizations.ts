import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Constraints and indexes are named `<table>_<columns>_<key|idx|check>`; the service recognizes a conflict by its name.
 * Ids and sort keys compare by code point, whatever the database's locale.
 */
export class CreateOrganizations1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organizations (
        id          text COLLATE "C" NOT NULL,
        name        text NOT NULL,
        external_id text COLLATE "C", -- by which a host application knows the organization
        created_at  timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT organizations_pkey PRIMARY KEY (id),
        CONSTRAINT organizations_external_id_key UNIQUE (external_id)
      );

      -- Looked up by hash, before the organization is known.
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
        rotated_from    text COLLATE "C",
        warned_days     integer, -- said by the last event about its end: 14, 7 or 1 days before it, or 0 once expired
        CONSTRAINT tokens_pkey PRIMARY KEY (id),
        CONSTRAINT tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id),
        CONSTRAINT tokens_hash_key UNIQUE (hash),
        CONSTRAINT tokens_scopes_check
          CHECK (scopes <> '{}' AND scopes <@ ARRAY['users:read', 'users:write', 'users:delete', 'admin'])
      );
      CREATE INDEX tokens_organization_id_created_at_id_idx ON tokens (organization_id, created_at, id);
      CREATE INDEX tokens_expires_at_idx ON tokens (expires_at)
        WHERE revoked_at IS NULL AND (warned_days IS NULL OR warned_days > 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE tokens, organizations`);
  }
}
