import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isLocked, isTimedOut } from '../database/errors';
import { Lanes } from '../database/lanes';
import { Parameters } from '../database/parameters';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { EVENT_COLUMNS, type EventRow } from './event.record';
import { EVENTS_PER_BITE, EventNumbering } from './event-numbering';
import type { ListEventsDto } from './events.dto';
import { TokenEvents } from './token-events';

/** So often does a walk look at events, of which its filters may leave out all. It then returns what it has found. */
const MAX_LOOKS = 8;

/** A reader spends no longer on numbering a backlog, but for the thousand events that it has begun with. */
const MAX_NUMBERING_MS = 100;

/** While others do the numbering, and in descending order, where a shorter page would hide the newest events without a word. */
const MAX_WAITING_MS = 5_000;

/** A statement looks at so many events to find those that match. */
const MAX_LOOKED_AT = 10_000;

/** The position before the first event in descending order. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** What to read: the filters and the order of a list, and how many events at most. */
export type EventQuery = Omit<ListEventsDto, 'cursor'>;

/** The events behind a position, which is the number of the event before them. */
export interface EventWalk {
  rows: EventRow[];
  /** Where to go on. */
  position: number;
  /** Whether there are more now. */
  hasMore: boolean;
  /** The last number, and the last one whose event has been removed. */
  last: number;
  removed: number;
}

interface Stretch extends EventWalk {
  /** Whether events wait for their number. */
  isBehind: boolean;
}

/** The events of an organization, in the order of their numbers. */
@Injectable()
export class EventLog {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
    private readonly numbering: EventNumbering,
    private readonly tokens: TokenEvents,
  ) {}

  /** Numbers committed events before it says that there are no more, so a change is in the log as soon as it has been confirmed. */
  async walk(organizationId: string, query: EventQuery, from: number): Promise<EventWalk> {
    const isAscending = query.order === 'asc';
    const isFromNewest = !isAscending && from === NEWEST;
    const inTime = (task: () => Promise<unknown>) =>
      task().then(() => true, isAscending ? falseIfHeldUp : undefined);
    // A transaction that holds the events up makes a page shorter, and the reader asks again.
    let isHeldUp = (isAscending || isFromNewest) && !(await inTime(() => this.tokens.move(organizationId)));
    const startedAt = performance.now();
    let hasNumbered = false;
    let isUpToDate = false;
    const rows: EventRow[] = [];
    let position = from;
    for (let looks = 1; ; looks++) {
      const stretch = await this.read(organizationId, query, position, query.limit + 1 - rows.length);
      const isFull = rows.length + stretch.rows.length > query.limit;
      const wantsNumbers = isAscending ? !stretch.hasMore && !isFull : isFromNewest && position === from;
      const patience = isAscending && hasNumbered ? MAX_NUMBERING_MS : MAX_WAITING_MS;
      const isLate = isHeldUp || (stretch.isBehind && performance.now() - startedAt > patience);
      if (stretch.isBehind && wantsNumbers && !isLate && !isUpToDate) {
        let count = 0;
        isHeldUp = !(await inTime(async () => (count = await this.numbering.number(organizationId))));
        hasNumbered ||= count > 0;
        looks--;
        if (!isAscending) {
          // Fewer than a bite are all that had been committed; others have come since then.
          isUpToDate = count > 0 && count < EVENTS_PER_BITE;
          continue;
        }
      }
      rows.push(...stretch.rows);
      if (isFull) rows.length = query.limit;
      position = isFull ? Number(rows[query.limit - 1].sequence) : stretch.position;
      const hasMore = isFull || stretch.hasMore || (isAscending && (stretch.isBehind || isHeldUp));
      if (isFull || !hasMore || isLate || looks === MAX_LOOKS) return { ...stretch, rows, position, hasMore };
    }
  }

  /** Reads matching events behind a position. One statement, so that it sees the head and the events at the same moment. */
  private async read(
    organizationId: string,
    { order, type, target, actor, since, until }: EventQuery,
    position: number,
    limit: number,
  ): Promise<Stretch> {
    const parameters = new Parameters();
    const organization = parameters.bind(organizationId);
    const after = `${parameters.bind(position)}::bigint`;
    const conditions = [
      type && `type = ANY (${parameters.bind(type.split(','))})`,
      target && `target_id = ${parameters.bind(target)}`,
      actor && `actor_id = ${parameters.bind(actor)}`,
      since && `occurred_at >= ${parameters.bind(new Date(since))}`,
      until && `occurred_at < ${parameters.bind(new Date(until))}`,
    ].filter((condition) => condition !== undefined);
    // An index has the events of a target. What the other filters leave out is looked at, so there is a limit to that.
    const length = target ? NEWEST : conditions.length > 0 ? MAX_LOOKED_AT : limit;
    const isAscending = order === 'asc';
    const [start, end] = isAscending
      ? [`greatest(${after}, removed)`, `least(greatest(${after}, removed) + ${length}, last)`]
      : [`least(${after}, last + 1)`, `greatest(least(${after}, last + 1) - ${length}, removed + 1)`];
    const isWithin = isAscending
      ? 'sequence > stretch.start AND sequence <= stretch.end'
      : 'sequence < stretch.start AND sequence >= stretch.end';
    const sql = `
      SELECT stretch.*, page.* FROM (
        SELECT last, removed, ${start} AS start, ${end} AS end, (
          SELECT position FROM ${this.table('events')} WHERE organization_id = ${organization} AND sequence IS NULL
          ORDER BY position LIMIT 1 -- so that the index is used, whatever the statistics say
        ) IS NOT NULL AS "isBehind"
        FROM (
          SELECT coalesce(max(sequence), 0) AS last, coalesce(max(removed), 0) AS removed
          FROM ${this.table('event_heads')} WHERE organization_id = ${organization}
        ) AS head
      ) AS stretch
      LEFT JOIN LATERAL (
        SELECT ${EVENT_COLUMNS} FROM ${this.table('events')}
        WHERE ${[`organization_id = ${organization}`, isWithin, ...conditions].join(' AND ')}
        ORDER BY sequence ${order} LIMIT ${limit}
      ) AS page ON true
      ORDER BY page.sequence ${order}`;
    const read = () => retryBroken(() => this.dataSource.query(sql, parameters.values));
    const rows: (EventRow & Record<'last' | 'removed' | 'end', string> & { isBehind: boolean })[] =
      await this.lanes.run('quick', organizationId, read);
    const [last, removed, reached] = [rows[0].last, rows[0].removed, rows[0].end].map(Number);
    return {
      rows: rows.filter(({ id }) => id !== null),
      position: reached,
      hasMore: isAscending ? reached < last : reached > removed + 1,
      last,
      removed,
      isBehind: rows[0].isBehind,
    };
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}

/** Rethrows everything but a wait that took too long. */
function falseIfHeldUp(error: unknown): false {
  if (isLocked(error) || isTimedOut(error)) return false;
  throw error;
}
