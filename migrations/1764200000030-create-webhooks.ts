import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks, what is to be sent to them, and what has been. */
export class CreateWebhooks1764200000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        organization_id  text COLLATE "C" NOT NULL,
        id               text COLLATE "C" NOT NULL,
        url              text NOT NULL,
        types            text[] NOT NULL,
        description      text,
        enabled          boolean NOT NULL,
        payload          text NOT NULL,
        ordering         text NOT NULL,
        disabled_reason  text,
        secret           text NOT NULL, -- encrypted, behind the id of its key
        previous_secret  text,
        previous_until   timestamptz(3),
        sequence         bigint NOT NULL, -- the last event for which deliveries have been made
        is_full          boolean NOT NULL DEFAULT false, -- has so many deliveries waiting that no more are made
        due_at           timestamptz(3) NOT NULL DEFAULT 'infinity', -- the next attempt of any delivery
        claim            bigint NOT NULL DEFAULT 0, -- counts the processes that have sent to it, one after the other
        claimed_until    timestamptz(3) NOT NULL DEFAULT '-infinity',
        blocked_until    timestamptz(3) NOT NULL DEFAULT '-infinity', -- as the receiver has asked for
        failing_since    timestamptz(3),
        failing_delivery text COLLATE "C", -- the first that failed
        failing_others   boolean NOT NULL DEFAULT false, -- whether others have failed since
        last_success_at  timestamptz(3),
        created_at       timestamptz(3) NOT NULL DEFAULT now(),
        updated_at       timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT webhooks_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT webhooks_payload_check CHECK (payload IN ('full', 'thin')),
        CONSTRAINT webhooks_ordering_check CHECK (ordering IN ('none', 'organization'))
      );
      CREATE INDEX webhooks_organization_id_created_at_id_idx ON webhooks (organization_id, created_at, id);

      -- With the id of the event, never a copy: what a purge empties is empty in what is sent later, too.
      CREATE TABLE webhook_deliveries (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        webhook_id      text COLLATE "C" NOT NULL,
        event_id        text COLLATE "C" NOT NULL,
        sequence        bigint, -- null for a test
        type            text COLLATE "C" NOT NULL,
        is_beside       boolean NOT NULL, -- a test or a repeat, which the order does not include
        state           text COLLATE "C" NOT NULL DEFAULT 'pending',
        attempts        integer NOT NULL DEFAULT 0,
        last_status     integer,
        next_attempt_at timestamptz(3) DEFAULT now(),
        created_at      timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (organization_id, id),
        CONSTRAINT webhook_deliveries_state_check CHECK (state IN ('pending', 'delivered', 'failed'))
      );
      ALTER TABLE webhook_deliveries ALTER organization_id SET STATISTICS 0, ALTER webhook_id SET STATISTICS 0; -- as in users
      CREATE INDEX webhook_deliveries_list_idx ON webhook_deliveries (organization_id, webhook_id, created_at, id);
      CREATE INDEX webhook_deliveries_state_idx ON webhook_deliveries (organization_id, webhook_id, state, created_at, id);
      CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (organization_id, webhook_id, next_attempt_at)
        WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_organization_id_created_at_idx ON webhook_deliveries (organization_id, created_at);

      -- Ranges of events that are to be sent again.
      CREATE TABLE webhook_replays (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        webhook_id      text COLLATE "C" NOT NULL,
        since           timestamptz(3) NOT NULL,
        until           timestamptz(3),
        sequence        bigint NOT NULL, -- the last event for which deliveries have been made
        last            bigint NOT NULL, -- the last event of the range
        CONSTRAINT webhook_replays_pkey PRIMARY KEY (organization_id, id)
      );
      CREATE INDEX webhook_replays_organization_id_webhook_id_idx ON webhook_replays (organization_id, webhook_id)`);
    // The last of all: a table that refers to a reference table of a cluster can no longer get statistics.
    await runner.query(`
      ALTER TABLE webhooks ADD CONSTRAINT webhooks_organization_id_fkey
        FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE webhook_replays, webhook_deliveries, webhooks`);
  }
}
