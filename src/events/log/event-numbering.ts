import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Background } from '../../background/background';
import { Database } from '../../database/database';
import { describeError, isLocked, isTimedOut } from '../../database/errors';
import { query, sql } from '../../database/sql';
import { Event } from '../event/event.entity';
import { EventHead } from './event-head.entity';
import { TokenEvents } from './token-events';

/** Numbering this many takes about 20 ms. */
const EVENTS_PER_STATEMENT = 1_000;

/** Several at once, because an organization with locked events takes until the lock timeout. */
const ORGANIZATIONS_AT_ONCE = 4;

/** How many unnumbered events a round reads to find their organizations. */
const EVENTS_PER_ROUND = 10_000;

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
export class EventNumbering implements OnModuleInit {
  private readonly logger = new Logger('EventNumbering');
  /** The next round starts after this organization, if the last one reached its limit. */
  private lastSeen = '';

  constructor(
    private readonly database: Database,
    private readonly background: Background,
    private readonly tokens: TokenEvents,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.numberAll(signal);
    this.background.add({ name: 'number events', everyMs: NUMBER_EVERY_MS, run });
  }

  /** Numbers all committed events of every organization. */
  async numberAll(signal: AbortSignal): Promise<void> {
    const rows = await this.database.sweep<{ organizationId: string }>(sql`
      SELECT organization_id AS "organizationId" FROM ${Event} WHERE sequence IS NULL AND organization_id > ${this.lastSeen}
      ORDER BY organization_id, position -- the order of the index, which is then used whatever the statistics say
      LIMIT ${EVENTS_PER_ROUND}`);
    // An organization that cannot be numbered may have more events than a round reads.
    this.lastSeen = rows.length === EVENTS_PER_ROUND ? rows[rows.length - 1].organizationId : '';
    const withTokenEvents = await this.tokens.waiting();
    const behind = rows.map(({ organizationId }) => organizationId);
    await this.numberOf([...behind, ...withTokenEvents], withTokenEvents, signal);
  }

  /** Numbers all committed events of these organizations, after moving the events of tokens for some of them. */
  async numberOf(
    organizationIds: readonly string[],
    withTokenEvents: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const isToMove = new Set(withTokenEvents);
    const organizations = new Set(organizationIds).values();
    const work = async () => {
      for (const organizationId of organizations) {
        if (signal.aborted) return;
        const number = async () => {
          if (isToMove.has(organizationId)) await this.tokens.move(organizationId);
          await this.numberAllOf(organizationId, signal);
        };
        await number().catch((error: unknown) => {
          const message = 'cannot number the events of an organization; it will be tried again';
          this.logger.warn({ message, organizationId, error: describeError(error) });
        });
      }
    };
    await Promise.all(Array.from({ length: ORGANIZATIONS_AT_ONCE }, work));
  }

  private async numberAllOf(organizationId: string, signal: AbortSignal): Promise<void> {
    let count = EVENTS_PER_STATEMENT;
    while (count === EVENTS_PER_STATEMENT && !signal.aborted) count = await this.number(organizationId);
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
        // Without events there is no head. The insertion has waited for a deletion.
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
