import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { Lanes } from '../database/lanes';
import { Parameters } from '../database/parameters';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { EVENT_COLUMNS, type EventRow } from './event.record';
import { EventNumbering } from './event-numbering';
import type { ListEventsDto } from './events.dto';
import { TokenEvents } from './token-events';

/** Time budgets for numbering a backlog. An ascending page may end early; a descending one must begin with the newest event. */
const CATCH_UP_MS = { asc: 1_000, desc: 5_000 };

/** Events that one statement scans for those that match the filters. */
const MAX_SCANNED = 10_000;

/** The position before the first event in descending order. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** What to read: the filters and the order of a list, and how many events at most. */
export type EventQuery = Omit<ListEventsDto, 'cursor'>;

/** The events behind a position, which is the number of the event before them. */
export interface LogPage {
  rows: EventRow[];
  /** Where to go on. */
  position: number;
  /** Whether there are more now. */
  hasMore: boolean;
  /** Whether events wait for their number. */
  isBehind: boolean;
  /** The last number, and the last one whose event has been removed. */
  last: number;
  removed: number;
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

  /**
   * Reads a page, which may be short although there are more. A page that needs the newest events waits until all that was committed
   * before has a number, so a change is in the log as soon as it has been confirmed.
   */
  async page(organizationId: string, query: EventQuery, from: number): Promise<LogPage> {
    const isAscending = query.order === 'asc';
    if (!isAscending && from !== NEWEST) return this.read(organizationId, query, from);
    await this.tokens.move(organizationId);
    const page = await this.read(organizationId, query, from);
    if (!page.isBehind || (isAscending && page.hasMore)) return page;
    const isCaughtUp = await this.numbering.catchUp(organizationId, CATCH_UP_MS[query.order]);
    // A later page never returns to the newest events.
    if (!isCaughtUp && !isAscending) throw new ServiceUnavailableException('Events are being numbered.');
    const next = await this.read(organizationId, query, from);
    return { ...next, hasMore: next.hasMore || !isCaughtUp };
  }

  /** Reads matching events behind a position. One statement, so that it sees the head and the events at the same moment. */
  private async read(
    organizationId: string,
    { order, limit, type, target, actor, since, until }: EventQuery,
    from: number,
  ): Promise<LogPage> {
    const parameters = new Parameters();
    const organization = parameters.bind(organizationId);
    const after = `${parameters.bind(from)}::bigint`;
    const conditions = [
      type && `type = ANY (${parameters.bind(type.split(','))})`,
      target && `target_id = ${parameters.bind(target)}`,
      actor && `actor_id = ${parameters.bind(actor)}`,
      since && `occurred_at >= ${parameters.bind(new Date(since))}`,
      until && `occurred_at < ${parameters.bind(new Date(until))}`,
    ].filter((condition) => condition !== undefined);
    // An index has the events of a target. The other filters scan, up to a limit.
    const length = target ? NEWEST : conditions.length > 0 ? MAX_SCANNED : limit + 1;
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
        ORDER BY sequence ${order} LIMIT ${limit + 1}
      ) AS page ON true
      ORDER BY page.sequence ${order}`;
    const read = () => retryBroken(() => this.dataSource.query(sql, parameters.values));
    const rows: (EventRow & Record<'last' | 'removed' | 'end', string> & { isBehind: boolean })[] =
      await this.lanes.run('quick', organizationId, read);
    const [last, removed, reached] = [rows[0].last, rows[0].removed, rows[0].end].map(Number);
    const found = rows.filter(({ id }) => id !== null);
    const isFull = found.length > limit;
    const page = found.slice(0, limit);
    return {
      rows: page,
      position: isFull ? Number(page[limit - 1].sequence) : reached,
      hasMore: isFull || (isAscending ? reached < last : reached > removed + 1),
      isBehind: rows[0].isBehind,
      last,
      removed,
    };
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
