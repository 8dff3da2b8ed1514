import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened to users and tokens: the audit trail, and the feed that other systems follow. */
export class CreateEvents1763900000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Counts insertions, so the events of one user or token stand in the order of its changes.
    await runner.query(`CREATE SEQUENCE event_positions`);
    // `sequence` is the number that readers see; it is null until the first of them numbers what has been committed.
    await runner.query(`
      CREATE TABLE events (
        organization_id text COLLATE "C" NOT NULL,
        id              text COLLATE "C" NOT NULL,
        position        bigint NOT NULL DEFAULT nextval('event_positions'),
        sequence        bigint,
        type            text COLLATE "C" NOT NULL,
        occurred_at     timestamptz(3) NOT NULL DEFAULT now(),
        source          text NOT NULL,
        actor_id        text COLLATE "C",
        actor_name      text NOT NULL,
        target_id       text COLLATE "C" NOT NULL,
        request_id      text,
        data            json,
        CONSTRAINT events_pkey PRIMARY KEY (organization_id, id)
      )`);
    // Partial, so that writers do not maintain it.
    await runner.query(
      `CREATE UNIQUE INDEX events_organization_id_sequence_key ON events (organization_id, sequence) WHERE sequence IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX events_unnumbered_idx ON events (organization_id, position) WHERE sequence IS NULL`,
    );
    await runner.query(
      `CREATE INDEX events_organization_id_target_id_idx ON events (organization_id, target_id, sequence)`,
    );
    // The last number of each organization, and the last one whose event is gone: numbers never begin again.
    await runner.query(`
      CREATE TABLE event_heads (
        organization_id text COLLATE "C" NOT NULL,
        sequence        bigint NOT NULL DEFAULT 0,
        removed         bigint NOT NULL DEFAULT 0,
        CONSTRAINT event_heads_pkey PRIMARY KEY (organization_id)
      )`);
    // Events of tokens wait here until they are read. Where the events of users are distributed over several servers, tokens are
    // not, so that a token can be revoked whichever server is down.
    await runner.query(`
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
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE events, event_heads, token_events`);
    await runner.query(`DROP SEQUENCE event_positions`);
  }
}
