import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { tableName } from '../../database/tables';
import { EVENT_COLUMNS, type EventRecord, type EventRow, recordOf } from '../event.record';

/** A process that is gone loses its claims after this time. */
export const CLAIMED_FOR_MS = 30_000;

const EVENTS_PER_READ = 100;

/** Rounded as `due_at` is, which would otherwise be in the future for half a millisecond after it was set to now(). */
const NOW = 'now()::timestamptz(3)';

/** The events of an organization that one process delivers to a subscriber. */
export interface Claim {
  subscriber: string;
  organizationId: string;
  /** Grows with each claim, so that a process whose claim has run out changes nothing any more. */
  number: string;
  /** The last event that the subscriber has dealt with. */
  sequence: number;
  /** How often the next one has failed. */
  failures: number;
}

/**
 * How far each subscriber has got in each organization. `due_at` is when somebody may claim the next events: a claim and a pause
 * put it off. An organization without a cursor has come after the subscriber, which gets its events from the first.
 */
@Injectable()
export class EventCursors {
  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {}

  /** Has new subscribers begin behind the events that are there. */
  async register(subscribers: readonly string[]): Promise<void> {
    for (const name of subscribers) {
      await this.dataSource.transaction(async (manager) => {
        const added: unknown[] = await manager.query(
          `INSERT INTO ${this.table('event_subscribers')} (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING name`,
          [name],
        );
        if (added.length === 0) return;
        await manager.query(
          `INSERT INTO ${this.table('event_cursors')} (organization_id, subscriber, sequence)
           SELECT organization_id, $1, sequence FROM ${this.table('event_heads')}`,
          [name],
        );
      });
    }
  }

  /** The organizations whose events nobody delivers to the subscriber now, those that have waited longest first. */
  async due(subscriber: string, limit: number): Promise<string[]> {
    const rows: { organizationId: string }[] = await this.dataSource.query(
      `SELECT head.organization_id AS "organizationId" FROM ${this.table('event_heads')} AS head
       LEFT JOIN ${this.table('event_cursors')} AS own
         ON own.organization_id = head.organization_id AND own.subscriber = $1
       WHERE head.sequence > greatest(own.sequence, head.removed) AND (own.due_at IS NULL OR own.due_at <= ${NOW})
       ORDER BY own.due_at NULLS FIRST LIMIT ${limit}`,
      [subscriber],
    );
    return rows.map(({ organizationId }) => organizationId);
  }

  /** Undefined if another process was faster, or the organization is gone. */
  async claim(subscriber: string, organizationId: string): Promise<Claim | undefined> {
    const claim = await this.claimDue(subscriber, organizationId);
    if (claim || !(await this.add(subscriber, organizationId))) return claim;
    return this.claimDue(subscriber, organizationId);
  }

  private async claimDue(subscriber: string, organizationId: string): Promise<Claim | undefined> {
    const [[row]]: [{ sequence: string; number: string; failures: number }[]] = await this.dataSource.query(
      `UPDATE ${this.table('event_cursors')} SET claim = claim + 1, due_at = now() + $3 * interval '1 millisecond'
       WHERE organization_id = $1 AND subscriber = $2 AND due_at <= ${NOW}
       RETURNING sequence, claim AS number, failures`,
      [organizationId, subscriber, CLAIMED_FOR_MS],
    );
    return row && { ...row, subscriber, organizationId, sequence: Number(row.sequence) };
  }

  /** Whether it was missing. The lock of the head makes a deletion of the organization wait, which then finds the cursor. */
  private add(subscriber: string, organizationId: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const heads: unknown[] = await manager.query(
        `SELECT FROM ${this.table('event_heads')} WHERE organization_id = $1 FOR KEY SHARE`,
        [organizationId],
      );
      if (heads.length === 0) return false;
      const added: unknown[] = await manager.query(
        `INSERT INTO ${this.table('event_cursors')} (organization_id, subscriber) VALUES ($1, $2)
         ON CONFLICT DO NOTHING RETURNING subscriber`,
        [organizationId, subscriber],
      );
      return added.length > 0;
    });
  }

  /** The next events, whatever their type. */
  async next({ organizationId, sequence }: Claim): Promise<EventRecord[]> {
    const rows: EventRow[] = await this.dataSource.query(
      `SELECT ${EVENT_COLUMNS} FROM ${this.table('events')} WHERE organization_id = $1 AND sequence > $2
       ORDER BY sequence LIMIT ${EVENTS_PER_READ}`,
      [organizationId, sequence],
    );
    return rows.map(recordOf);
  }

  /** Stores the position, and keeps the claim for that time or puts off the next one. Returns whether this process still had it. */
  async update(
    { organizationId, subscriber, number, sequence, failures }: Claim,
    dueInMs: number,
  ): Promise<boolean> {
    const [, count]: [unknown, number] = await this.dataSource.query(
      `UPDATE ${this.table('event_cursors')} SET sequence = greatest(sequence, $4), failures = $5, due_at = now() + $6 * interval '1 millisecond'
       WHERE organization_id = $1 AND subscriber = $2 AND claim = $3`,
      [organizationId, subscriber, number, sequence, failures, dueInMs],
    );
    return count > 0;
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
