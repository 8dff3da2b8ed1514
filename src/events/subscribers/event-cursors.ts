import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Due } from '../../platform/background/claimed-work';
import {
  type Claim,
  CLAIMED_SQL,
  claimRow,
  pastSql,
  releasedSql,
  UNCLAIMED_SQL,
} from '../../platform/database/claims';
import { Database } from '../../platform/database/database';
import { execute, query, raw, type Sql, sql } from '../../platform/database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../event/event.entity';
import { EventHead } from '../log/event-head.entity';
import { EventCursor, EventSubscriber } from './event-cursor.entity';

const EVENTS_PER_READ = 100;

/** Without a failure there is no pause, wherever the server's clock stood when `due_at` was set. */
const PAUSE_IS_OVER_SQL = sql`(failures = 0 OR ${pastSql('due_at')})`;

/** The right of one process to deliver the events of an organization to a subscriber. */
export interface DeliveryClaim extends Claim {
  subscriber: string;
  /** The last event that has been delivered. */
  sequence: number;
  /** How often the delivery of the next event has failed. */
  failures: number;
  /** How long the next event waits after a failure in this turn. */
  pauseMs?: number;
}

/**
 * The position of each subscriber in the events of each organization. An organization without a cursor is newer than
 * the subscriber; delivery starts at its first event.
 */
@Injectable()
export class EventCursors {
  constructor(private readonly database: Database) {}

  /** Those of the subscribers that no process has registered. */
  async unknown(subscribers: readonly string[]): Promise<string[]> {
    const known = await this.database.readAll<{ name: string }>(
      sql`SELECT name FROM ${EventSubscriber} WHERE name = ANY (${subscribers})`,
    );
    return subscribers.filter((name) => !known.some((other) => other.name === name));
  }

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
  due(subscriber: string, limit: number): Promise<Due[]> {
    return this.database.sweep(sql`
      SELECT head.organization_id AS "organizationId" FROM ${EventHead} AS head
      LEFT JOIN ${EventCursor} AS own ON own.organization_id = head.organization_id AND own.subscriber = ${subscriber}
      WHERE head.sequence > greatest(own.sequence, head.removed)
        AND (own.claim IS NULL OR (${UNCLAIMED_SQL} AND ${PAUSE_IS_OVER_SQL}))
      ORDER BY own.claimed_until NULLS FIRST LIMIT ${limit}`);
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

  /** Stores the position and renews the claim. Returns whether this process still had it. */
  renew(claim: DeliveryClaim): Promise<boolean> {
    return this.store(claim, CLAIMED_SQL);
  }

  /** Stores the position and returns the claim. The next one is possible after the pause. */
  release(claim: DeliveryClaim): Promise<boolean> {
    const due = sql`due_at = now() + ${claim.pauseMs ?? 0} * interval '1 millisecond'`;
    return this.store(claim, sql`${releasedSql(claim)}, ${due}`);
  }

  private async store(claim: DeliveryClaim, times: Sql): Promise<boolean> {
    const { organizationId, subscriber, number, sequence, failures } = claim;
    const count = await this.database.execute(
      organizationId,
      sql`UPDATE ${EventCursor} SET sequence = greatest(sequence, ${sequence}), failures = ${failures}, ${times}
          WHERE ${ownRow(organizationId, subscriber)} AND claim = ${number}`,
    );
    return count > 0;
  }
}

const ownRow = (organizationId: string, subscriber: string) =>
  sql`organization_id = ${organizationId} AND subscriber = ${subscriber}`;

async function claimDue(
  manager: EntityManager,
  subscriber: string,
  organizationId: string,
): Promise<DeliveryClaim | undefined> {
  const row = await claimRow<{ sequence: string; failures: number }>(
    manager,
    EventCursor,
    sql`${ownRow(organizationId, subscriber)} AND ${PAUSE_IS_OVER_SQL}`,
    raw('sequence, failures'),
  );
  return row && { ...row, subscriber, sequence: Number(row.sequence) };
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
