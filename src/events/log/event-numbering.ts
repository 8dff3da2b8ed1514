import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Background } from '../../platform/background/background';
import { Database } from '../../platform/database/database';
import { describeError, isLocked, isTimedOut } from '../../platform/database/errors';
import { query, sql } from '../../platform/database/sql';
import { Bulkhead } from '../../platform/fairness/bulkhead';
import { LIMITS } from '../../platform/fairness/limits';
import { Event } from '../event/event.entity';
import { EventHead } from './event-head.entity';
import { TokenEvents } from './token-events';

/** Numbering this many takes about 20 ms. */
const EVENTS_PER_STATEMENT = 1_000;

/** The next organization does not wait for all events of one that has many. */
const STATEMENTS_PER_TURN = 5;

/** How many unnumbered events a statement reads to find their organizations. */
const EVENTS_PER_LOOK = 1_000;

const CATCH_UP_ALL_MS = 10_000;

/**
 * Readers number new events themselves, so this only bounds the backlog. Every 2 seconds, it took a seventh of the CPU
 * of writes that are spread over many organizations.
 */
const NUMBER_EVERY_MS = 10_000;

/**
 * Numbers the events of an organization. Writers leave `sequence` null, so they share no lock; the first reader numbers
 * what has been committed. Visible events are committed, so no number comes late, whatever is still open.
 */
@Injectable()
export class EventNumbering implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('EventNumbering');
  /** One that waits for a lock or its share of the connections leaves its place to others. */
  private readonly bulkhead = new Bulkhead(LIMITS.numbering);
  /** The turns in progress, by organization. */
  private readonly inProgress = new Map<string, Promise<void>>();
  private isOver = false;

  constructor(
    private readonly database: Database,
    private readonly background: Background,
    private readonly tokens: TokenEvents,
  ) {}

  onModuleInit(): void {
    const run = async () => void (await this.beginAll());
    this.background.add({ name: 'number events', everyMs: NUMBER_EVERY_MS, run });
  }

  /** Ends what is in progress, while the connections are still open. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.inProgress.values());
  }

  /** Begins to number the events of every organization, as `begin()` does. */
  async beginAll(): Promise<Promise<void>[]> {
    const behind = new Set<string>();
    let rows: { organizationId: string }[];
    let after = '';
    do {
      rows = await this.database.sweep<{ organizationId: string }>(sql`
        SELECT organization_id AS "organizationId" FROM ${Event} WHERE sequence IS NULL AND organization_id > ${after}
        ORDER BY organization_id, position -- the order of the index, which is then used whatever the statistics say
        LIMIT ${EVENTS_PER_LOOK}`);
      for (const { organizationId } of rows) behind.add(organizationId);
      after = rows.at(-1)?.organizationId ?? after; // whatever else this one has is skipped
    } while (rows.length === EVENTS_PER_LOOK);
    const withTokenEvents = await this.tokens.waiting();
    return this.begin([...behind, ...withTokenEvents], withTokenEvents);
  }

  /**
   * Begins to number the events of these organizations, after moving the events of tokens for some of them. Returns a
   * promise for each, which resolves when its turn is over. What is left then is numbered in its next turn.
   */
  begin(organizationIds: readonly string[], withTokenEvents: readonly string[]): Promise<void>[] {
    const isToMove = new Set(withTokenEvents);
    return [...new Set(organizationIds)].map((organizationId) => {
      const turn =
        this.inProgress.get(organizationId) ??
        this.bulkhead
          .run(organizationId, () => this.numberSome(organizationId, isToMove.has(organizationId)))
          .catch((error: unknown) => {
            const message = 'cannot number the events of an organization; it will be tried again';
            this.logger.warn({ message, organizationId, error: describeError(error) });
          })
          .finally(() => this.inProgress.delete(organizationId));
      this.inProgress.set(organizationId, turn);
      return turn;
    });
  }

  private async numberSome(organizationId: string, hasTokenEvents: boolean): Promise<void> {
    if (hasTokenEvents && !this.isOver) await this.tokens.move(organizationId);
    for (let i = 0; i < STATEMENTS_PER_TURN && !this.isOver; i++)
      if ((await this.number(organizationId)) < EVENTS_PER_STATEMENT) return;
  }

  /** Numbers the events of every organization, for 10 seconds at most: one may make them faster than that. */
  async catchUpAll(): Promise<void> {
    const end = performance.now() + CATCH_UP_ALL_MS;
    for (;;) {
      const turns = await this.beginAll();
      if (turns.length === 0 || performance.now() > end) return;
      await Promise.all(turns);
    }
  }

  /** Numbers all events committed so far. False if that takes longer than `withinMs`, or a lock prevents it. */
  async catchUp(organizationId: string, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    try {
      do {
        const count = await this.number(organizationId);
        // A short batch is the last one. An empty one may also mean that another process has just numbered some.
        if (count > 0 ? count < EVENTS_PER_STATEMENT : !(await this.isBehind(organizationId))) return true;
      } while (performance.now() < deadline);
    } catch (error) {
      if (!isLocked(error) && !isTimedOut(error)) throw error;
    }
    return false;
  }

  private async isBehind(organizationId: string): Promise<boolean> {
    const unnumbered = sql`
      SELECT FROM ${Event} WHERE organization_id = ${organizationId} AND sequence IS NULL ORDER BY position LIMIT 1`;
    return (await this.database.read(organizationId, (manager) => query(manager, unnumbered))).length > 0;
  }

  /** Numbers up to 1,000 committed events, and returns how many: none if another process has just numbered some. */
  number(organizationId: string): Promise<number> {
    return this.database.write(
      organizationId,
      async (manager) => {
        const count = await numberBatch(manager, organizationId);
        if (count > 0 || !(await addHead(manager, organizationId))) return count;
        const first = await numberBatch(manager, organizationId);
        // No head row yet means no events. The insert may have waited for a concurrent deletion.
        if (first === 0) await manager.delete(EventHead, { organizationId });
        return first;
      },
      'quick',
    );
  }
}

/**
 * The lock of the head makes numberers take turns. A statement that has waited for it sees the events as they were
 * before, so it numbers none if the head has changed since. The numbers are a JSON object by id rather than a list to
 * join: for an organization that the statistics do not know yet, PostgreSQL would compare each event with all.
 */
async function numberBatch(manager: EntityManager, organizationId: string): Promise<number> {
  const [numbered] = await query<{ count: number }>(
    manager,
    sql`
      WITH head AS MATERIALIZED (
        SELECT sequence FROM ${EventHead} WHERE organization_id = ${organizationId} FOR UPDATE
      ),
      unnumbered AS MATERIALIZED (
        SELECT id, position, head.sequence AS last
        FROM ${Event} AS events, head WHERE organization_id = ${organizationId} AND events.sequence IS NULL
          AND head.sequence = (SELECT sequence FROM ${EventHead} WHERE organization_id = ${organizationId})
        ORDER BY position LIMIT ${EVENTS_PER_STATEMENT}
      ),
      batch AS MATERIALIZED (
        SELECT max(position) AS last, jsonb_object_agg(id, sequence) AS sequences
        FROM (SELECT id, position, last + row_number() OVER (ORDER BY position) AS sequence FROM unnumbered) AS next
      ),
      numbered AS (
        UPDATE ${Event} AS events SET sequence = ((SELECT sequences FROM batch) ->> id)::bigint
        WHERE organization_id = ${organizationId} AND sequence IS NULL AND position <= (SELECT last FROM batch)
          AND (SELECT sequences FROM batch) ? id
        RETURNING sequence
      )
      UPDATE ${EventHead} AS heads SET sequence = numbered.last
      FROM (SELECT max(sequence) AS last, count(*)::integer AS count FROM numbered) AS numbered
      WHERE organization_id = ${organizationId} AND numbered.count > 0
      RETURNING numbered.count`,
  );
  return numbered?.count ?? 0;
}

/** Returns whether the organization had none. */
async function addHead(manager: EntityManager, organizationId: string): Promise<boolean> {
  const added = await query(
    manager,
    sql`INSERT INTO ${EventHead} (organization_id) VALUES (${organizationId}) ON CONFLICT DO NOTHING RETURNING organization_id`,
  );
  return added.length > 0;
}
