import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far each subscriber of a host application has got in the events of each organization. */
export class CreateSubscribers1763900000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_subscribers (
        name text COLLATE "C" NOT NULL,
        CONSTRAINT event_subscribers_pkey PRIMARY KEY (name)
      )`);
    // `claim` counts the processes that have delivered its events, one after the other; `due_at` is when the next one may.
    await runner.query(`
      CREATE TABLE event_cursors (
        organization_id text COLLATE "C" NOT NULL,
        subscriber      text COLLATE "C" NOT NULL,
        sequence        bigint NOT NULL DEFAULT 0,
        claim           bigint NOT NULL DEFAULT 0,
        failures        integer NOT NULL DEFAULT 0,
        due_at          timestamptz(3) NOT NULL DEFAULT '-infinity',
        CONSTRAINT event_cursors_pkey PRIMARY KEY (organization_id, subscriber)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE event_subscribers, event_cursors`);
  }
}
