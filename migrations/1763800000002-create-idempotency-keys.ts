import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What requests with an Idempotency-Key have created, for their repeats. */
export class CreateIdempotencyKeys1763800000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        organization_id text COLLATE "C" NOT NULL,
        path            text COLLATE "C" NOT NULL,
        key             text COLLATE "C" NOT NULL,
        request_hash    bytea NOT NULL,
        user_id         text COLLATE "C" NOT NULL,
        fields          json NOT NULL,
        created_at      timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, path, key)
      )`);
    // By user, because what is kept is personal data, and by age, to remove it.
    await runner.query(
      `CREATE INDEX idempotency_keys_organization_id_user_id_idx ON idempotency_keys (organization_id, user_id)`,
    );
    await runner.query(`CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotency_keys`);
  }
}
