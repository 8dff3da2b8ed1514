import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { execute, query, raw, sql } from '../../database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../event/event.entity';
import { EventHead } from '../log/event-head.entity';
import { EventCursor } from './event-cursor.entity';
import { EventSubscriber } from './event-subscriber.entity';
import { PAUSES } from '../../background/pauses';

/** A process that has died loses its claims after this time. */
export const CLAIMED_FOR_MS = 30_000;

const EVENTS_PER_READ = 100;

/** Rounded as `due_at` is, which would otherwise be in the future for half a millisecond after it was set to now(). */
const NOW = raw('now()::timestamptz(3)');

/** How far ahead `due_at` can be after 0, 1, 2 … failures; ten seconds more, as nodes of a cluster have own clocks. */
const MAX_AHEAD_MS = [0, ...PAUSES].map((pauseMs) => Math.max(pauseMs, CLAIMED_FOR_MS) + 10_000);

/** A time further ahead is from before the server's clock was set back. It counts as past, or delivery would stop. */
const DUE_SQL = sql`(due_at <= ${NOW} OR
  due_at - (${MAX_AHEAD_MS}::bigint[])[least(failures, ${PAUSES.length}) + 1] * interval '1 millisecond' > ${NOW})`;

/** The right of one process to deliver the events of an organization to a subscriber. */
export interface DeliveryClaim {
  subscriber: string;
  organizationId: string;
  /** Grows with each claim, so that a process whose claim has expired can no longer move the cursor. */
  number: string;
  /** The last event that has been delivered. */
  sequence: number;
  /** How often the delivery of the next event has failed. */
  failures: number;
}

/**
 * The position of each subscriber in the events of each organization. An organization without a cursor is newer than
 * the subscriber; delivery starts at its first event.
 */
@Injectable()
export class EventCursors {
  constructor(private readonly database: Database) {}

  /** New subscribers start after the existing events. */
  async register(subscribers: readonly string[]): Promise<void> {
    for (const name of subscribers) {
      await this.database.writeAll(async (manager) => {
        const added = await query(
          manager,
          sql`INSERT INTO ${EventSubscriber} (name) VALUES (${name}) ON CONFLICT DO NOTHING RETURNING name`,
        );
        if (added.length === 0) return;
        await execute(
          manager,
          sql`INSERT INTO ${EventCursor} (organization_id, subscriber, sequence)
              SELECT organization_id, ${name}, sequence FROM ${EventHead}`,
        );
      });
    }
  }

  /** Organizations with events that no process is delivering to the subscriber now, the longest waiting first. */
  async due(subscriber: string, limit: number): Promise<string[]> {
    const rows = await this.database.sweep<{ organizationId: string }>(sql`
      SELECT head.organization_id AS "organizationId" FROM ${EventHead} AS head
      LEFT JOIN ${EventCursor} AS own ON own.organization_id = head.organization_id AND own.subscriber = ${subscriber}
      WHERE head.sequence > greatest(own.sequence, head.removed) AND (due_at IS NULL OR ${DUE_SQL})
      ORDER BY own.due_at NULLS FIRST LIMIT ${limit}`);
    return rows.map(({ organizationId }) => organizationId);
  }

  /** Undefined if another process was faster, or the organization is gone. */
  claim(subscriber: string, organizationId: string): Promise<DeliveryClaim | undefined> {
    return this.database.write(
      organizationId,
      async (manager) => {
        const claim = await claimDue(manager, subscriber, organizationId);
        if (claim || !(await addCursor(manager, subscriber, organizationId))) return claim;
        return claimDue(manager, subscriber, organizationId);
      },
      'quick',
    );
  }

  /** The next events, of any type. */
  next({ organizationId, sequence }: DeliveryClaim): Promise<EventRow[]> {
    const next = sql`
      SELECT ${EVENT_COLUMNS} FROM ${Event} WHERE organization_id = ${organizationId} AND sequence > ${sequence}
      ORDER BY sequence LIMIT ${EVENTS_PER_READ}`;
    return this.database.read(organizationId, (manager) => query<EventRow>(manager, next));
  }

  /**
   * Stores the position, and makes the next claim possible after `dueInMs`: to renew this claim, or to pause. Returns
   * whether this process still had the claim.
   */
  async update(
    { organizationId, subscriber, number, sequence, failures }: DeliveryClaim,
    dueInMs: number,
  ): Promise<boolean> {
    const count = await this.database.execute(
      organizationId,
      sql`UPDATE ${EventCursor}
          SET sequence = greatest(sequence, ${sequence}), failures = ${failures}, due_at = now() + ${dueInMs} * interval '1 millisecond'
          WHERE organization_id = ${organizationId} AND subscriber = ${subscriber} AND claim = ${number}`,
    );
    return count > 0;
  }
}

async function claimDue(
  manager: EntityManager,
  subscriber: string,
  organizationId: string,
): Promise<DeliveryClaim | undefined> {
  const [row] = await query<{ sequence: string; number: string; failures: number }>(
    manager,
    sql`UPDATE ${EventCursor} SET claim = claim + 1, due_at = now() + ${CLAIMED_FOR_MS} * interval '1 millisecond'
        WHERE organization_id = ${organizationId} AND subscriber = ${subscriber} AND ${DUE_SQL}
        RETURNING sequence, claim AS number, failures`,
  );
  return row && { ...row, subscriber, organizationId, sequence: Number(row.sequence) };
}

/** Returns whether there was none. A deletion of the organization waits for the lock, and then finds the cursor. */
async function addCursor(
  manager: EntityManager,
  subscriber: string,
  organizationId: string,
): Promise<boolean> {
  const heads = await query(
    manager,
    sql`SELECT FROM ${EventHead} WHERE organization_id = ${organizationId} FOR KEY SHARE`,
  );
  if (heads.length === 0) return false;
  const added = await query(
    manager,
    sql`INSERT INTO ${EventCursor} (organization_id, subscriber) VALUES (${organizationId}, ${subscriber})
        ON CONFLICT DO NOTHING RETURNING subscriber`,
  );
  return added.length > 0;
}
