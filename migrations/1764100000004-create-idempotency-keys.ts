import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The answers to requests with an Idempotency-Key, for their repeats. */
export class CreateIdempotencyKeys1764100000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        organization_id text COLLATE "C" NOT NULL,
        path            text COLLATE "C" NOT NULL,
        key             text COLLATE "C" NOT NULL,
        request_hash    bytea NOT NULL,
        user_id         text COLLATE "C", -- null for a batch, whose answer shows no user
        response        json, -- null until the write is done, which nobody else sees
        created_at      timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, path, key)
      );
      -- By user, because the answers are personal data, and by age, to remove them.
      CREATE INDEX idempotency_keys_organization_id_user_id_idx ON idempotency_keys (organization_id, user_id);
      CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotency_keys`);
  }
}
