import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted users, until they are restored or purged, and whose each former search text is, so that a purge finds them. */
export class CreateDeletedUsers1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `fields` is the user as it was last.
    await runner.query(`
      CREATE TABLE deleted_users (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        version         integer NOT NULL,
        email_key       text COLLATE "C" NOT NULL,
        fields          json NOT NULL,
        deleted_at      timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT deleted_users_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT deleted_users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
          ON DELETE CASCADE
      )`);
    await runner.query(
      `CREATE INDEX deleted_users_organization_id_deleted_at_id_idx ON deleted_users (organization_id, deleted_at, id)`,
    );
    // Not unique: an email can be given again and deleted again.
    await runner.query(
      `CREATE INDEX deleted_users_organization_id_email_key_deleted_at_id_idx ON deleted_users (organization_id, email_key, deleted_at, id)`,
    );
    // Null in rows of the former release, which are gone soon.
    await runner.query(`ALTER TABLE replaced_texts ADD user_id text COLLATE "C"`);
    await runner.query(
      `CREATE INDEX replaced_texts_organization_id_user_id_idx ON replaced_texts (organization_id, user_id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX replaced_texts_organization_id_user_id_idx`);
    await runner.query(`ALTER TABLE replaced_texts DROP user_id`);
    await runner.query(`DROP TABLE deleted_users`);
  }
}
