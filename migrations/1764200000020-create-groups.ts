import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The groups of a directory, and their members. */
export class CreateGroups1764200000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE groups (
        organization_id  text COLLATE "C" NOT NULL,
        id               text COLLATE "C" NOT NULL,
        display_name     text COLLATE "C" NOT NULL,
        display_name_key text COLLATE "C" NOT NULL, -- without letter case
        external_id      text COLLATE "C", -- by which the directory knows the group
        member_count     integer NOT NULL DEFAULT 0,
        version          integer NOT NULL DEFAULT 1,
        created_at       timestamptz(3) NOT NULL DEFAULT now(),
        updated_at       timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT groups_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT groups_organization_id_display_name_key_key UNIQUE (organization_id, display_name_key)
      );
      ALTER TABLE groups ALTER organization_id SET STATISTICS 0;
      CREATE INDEX groups_organization_id_display_name_key_id_idx ON groups (organization_id, display_name_key, id);
      -- Not unique, and of any length, which an entry of an index is not.
      CREATE INDEX groups_organization_id_external_id_idx ON groups (organization_id, left(external_id, 200));

      CREATE TABLE group_members (
        organization_id text COLLATE "C" NOT NULL,
        group_id        text COLLATE "C" NOT NULL,
        user_id         text COLLATE "C" NOT NULL,
        CONSTRAINT group_members_pkey PRIMARY KEY (organization_id, group_id, user_id)
      );
      CREATE INDEX group_members_organization_id_user_id_group_id_idx ON group_members (organization_id, user_id, group_id);

      -- What deleted users were members of, apart from the members, so that a list of these reads no others.
      CREATE TABLE deleted_group_members (
        organization_id text COLLATE "C" NOT NULL,
        group_id        text COLLATE "C" NOT NULL,
        user_id         text COLLATE "C" NOT NULL,
        CONSTRAINT deleted_group_members_pkey PRIMARY KEY (organization_id, group_id, user_id)
      );
      CREATE INDEX deleted_group_members_organization_id_user_id_group_id_idx
        ON deleted_group_members (organization_id, user_id, group_id);

      -- Estimates of how many members a group has, made from other groups, would choose other indexes.
      ALTER TABLE group_members ALTER organization_id SET STATISTICS 0, ALTER group_id SET STATISTICS 0, ALTER user_id SET STATISTICS 0;
      ALTER TABLE deleted_group_members
        ALTER organization_id SET STATISTICS 0, ALTER group_id SET STATISTICS 0, ALTER user_id SET STATISTICS 0`);
    // The last of all: a table that refers to a reference table of a cluster can no longer get statistics.
    await runner.query(`
      ALTER TABLE groups ADD CONSTRAINT groups_organization_id_fkey
        FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE deleted_group_members, group_members, groups`);
  }
}
