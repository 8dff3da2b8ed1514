import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened to users and tokens: the audit trail, and the feed that other systems follow. */
export class CreateEvents1764100000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Counts insertions, so the events of one user or token stand in the order of its changes.
      CREATE SEQUENCE event_positions;
      CREATE TABLE events (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        position        bigint NOT NULL DEFAULT nextval('event_positions'),
        sequence        bigint, -- that readers see; null until the first of them numbers what has been committed
        type            text COLLATE "C" NOT NULL,
        occurred_at     timestamptz(3) NOT NULL DEFAULT now(),
        source          text NOT NULL,
        actor_id        text COLLATE "C",
        actor_name      text NOT NULL,
        target_id       text COLLATE "C" NOT NULL,
        request_id      text,
        data            json,
        CONSTRAINT events_pkey PRIMARY KEY (organization_id, id)
      );
      -- Partial, so that writers do not maintain it.
      CREATE UNIQUE INDEX events_organization_id_sequence_key ON events (organization_id, sequence) WHERE sequence IS NOT NULL;
      CREATE INDEX events_unnumbered_idx ON events (organization_id, position) WHERE sequence IS NULL;
      CREATE INDEX events_organization_id_target_id_idx ON events (organization_id, target_id, sequence);

      -- The last number of each organization, and the last one whose event is gone: numbers never begin again.
      CREATE TABLE event_heads (
        organization_id text COLLATE "C" NOT NULL,
        sequence        bigint NOT NULL DEFAULT 0,
        removed         bigint NOT NULL DEFAULT 0,
        CONSTRAINT event_heads_pkey PRIMARY KEY (organization_id)
      );

      -- Events of tokens wait here until they are read. Where the events of users are distributed over several servers, tokens are
      -- not, so that a token can be revoked whichever server is down.
      CREATE TABLE token_events (
        organization_id text COLLATE "C" NOT NULL,
        position        bigint NOT NULL DEFAULT nextval('event_positions'),
        id              text COLLATE "C" NOT NULL,
        type            text COLLATE "C" NOT NULL,
        occurred_at     timestamptz(3) NOT NULL DEFAULT now(),
        source          text NOT NULL,
        actor_id        text COLLATE "C",
        actor_name      text NOT NULL,
        target_id       text COLLATE "C" NOT NULL,
        request_id      text,
        data            json NOT NULL,
        CONSTRAINT token_events_pkey PRIMARY KEY (organization_id, position)
      );

      -- How far each subscriber of a host application has got in the events of each organization.
      CREATE TABLE event_subscribers (
        name text COLLATE "C" NOT NULL,
        CONSTRAINT event_subscribers_pkey PRIMARY KEY (name)
      );
      CREATE TABLE event_cursors (
        organization_id text COLLATE "C" NOT NULL,
        subscriber      text COLLATE "C" NOT NULL,
        sequence        bigint NOT NULL DEFAULT 0,
        claim           bigint NOT NULL DEFAULT 0, -- counts the processes that have delivered its events, one after the other
        failures        integer NOT NULL DEFAULT 0,
        due_at          timestamptz(3) NOT NULL DEFAULT '-infinity', -- when the next process may deliver
        CONSTRAINT event_cursors_pkey PRIMARY KEY (organization_id, subscriber)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE event_cursors, event_subscribers, token_events, event_heads, events; DROP SEQUENCE event_positions`,
    );
  }
}
