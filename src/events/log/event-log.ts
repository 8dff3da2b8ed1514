import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { join, query, raw, Sql, sql } from '../../platform/database/sql';
import { wholeRows } from '../../platform/pages/long-rows';
import { Event, EVENT_COLUMNS, type EventRow } from '../event/event.entity';
import { eventAsJson } from '../event/event.serializer';
import { EventHead } from './event-head.entity';
import { EventNumbering } from './event-numbering';
import { firstOf, rangesAbout } from './event-ranges';
import type { ListEventsDto } from '../event/event.dto';
import { TokenEvents } from './token-events';

/** Time budgets for numbering a backlog. Only a descending page must begin with the newest event. */
const CATCH_UP_MS = { asc: 1_000, desc: 5_000 };

/** Events that one statement scans for those that match the filters. */
const MAX_SCANNED = 10_000;

/** The position before the first event in descending order. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/** The filters and the order of a list, and the maximum number of its events. */
export type EventQuery = Omit<ListEventsDto, 'cursor'>;

/** The events after a position, which is the number of the event before them. */
export interface LogPage {
  rows: EventRow[];
  /** The position of the next page, and the ids of the events there and at the position before the page, if any. */
  position: number;
  positionId: string | null;
  fromId: string | null;
  /** Whether there are more now. */
  hasMore: boolean;
  /** The last number, and the last one whose event has been removed. */
  last: number;
  removed: number;
}

/** What the statement of a page says besides the columns of an event. */
type Stretch = Record<'last' | 'removed' | 'end', string> & Record<'fromId' | 'endId', string | null>;

/** The events of an organization, in the order of their numbers. */
@Injectable()
export class EventLog {
  constructor(
    private readonly database: Database,
    private readonly numbering: EventNumbering,
    private readonly tokens: TokenEvents,
  ) {}

  /**
   * Reads a page, which may be short although there are more. A page that needs the newest events waits until
   * everything committed before has a number, so a change is in the log as soon as it has been confirmed.
   */
  async page(organizationId: string, wanted: EventQuery, from: number): Promise<LogPage> {
    const isAscending = wanted.order === 'asc';
    if (!isAscending && from !== NEWEST) return this.read(organizationId, wanted, from);
    await this.tokens.move(organizationId);
    const page = await this.read(organizationId, wanted, from, 'unless behind');
    if (!page.isAwaited) return page;
    const isCaughtUp = await this.numbering.catchUp(organizationId, CATCH_UP_MS[wanted.order]);
    // A later page never returns to the newest events.
    if (!isCaughtUp && !isAscending) throw new ServiceUnavailableException('Events are being numbered.');
    const next = await this.read(organizationId, wanted, from);
    return { ...next, hasMore: next.hasMore || !isCaughtUp };
  }

  /** Numbers everything that has been committed, the events of tokens included. Throws a 503 if that takes too long. */
  async catchUp(organizationId: string): Promise<void> {
    await this.tokens.move(organizationId);
    if (!(await this.numbering.catchUp(organizationId, CATCH_UP_MS.desc)))
      throw new ServiceUnavailableException('Events are being numbered.');
  }

  /** The rows of a page of `SHORT_EVENT_COLUMNS` with the data that is not short, as many as fit on a page. */
  whole(organizationId: string, rows: EventRow[]): Promise<{ items: EventRow[]; endsAfter?: EventRow }> {
    return wholeRows<EventRow, EventRow>(this.database, rows, {
      organizationId,
      isLong: ({ data }) => data === null,
      read: (manager, ids) =>
        query(
          manager,
          sql`SELECT ${EVENT_COLUMNS} FROM ${Event} WHERE organization_id = ${organizationId} AND id = ANY (${ids})`,
        ),
      bytesOf: (row) => Buffer.byteLength(eventAsJson(row)),
    });
  }

  /**
   * Reads the matching events after a position. One statement sees the head and the events of the same moment. With
   * `unless behind`, it reads none if the page needs the newest events and some of them have no number yet.
   */
  private async read(
    organizationId: string,
    { order, limit, type, target, actor, since, until }: EventQuery,
    from: number,
    when?: 'unless behind',
  ): Promise<LogPage & { isAwaited: boolean }> {
    const ranges = target ? rangesAbout(target) : [sql`true`];
    const filters = [
      type && sql`AND type = ANY (${type.split(',')})`,
      actor && sql`AND actor_id = ${actor}`,
      since && sql`AND occurred_at >= ${new Date(since)}`,
      until && sql`AND occurred_at < ${new Date(until)}`,
    ].filter((filter) => filter instanceof Sql);
    const isAscending = order === 'asc';
    // The ranges of a target have indexes. Other filters scan up to a limit; beside a target, of each of its ranges.
    const length = target ? NEWEST : filters.length > 0 ? MAX_SCANNED : limit + 1;
    const lastScanned = (condition: Sql, direction: Sql) =>
      join(
        (target && filters.length > 0 ? ranges : []).map(
          (range) =>
            sql`, (SELECT sequence FROM ${Event} WHERE organization_id = ${organizationId} AND ${range} AND ${condition}
                   ORDER BY sequence ${direction} LIMIT 1 OFFSET ${MAX_SCANNED - 1})`,
        ),
        '',
      );
    const direction = raw(isAscending ? 'ASC' : 'DESC');
    const [start, end, withinSql, needsNewest] = isAscending
      ? [
          sql`greatest(${from}::bigint, removed)`,
          sql`least(start + ${length}::bigint, last ${lastScanned(sql`sequence > start`, direction)})`,
          sql`sequence > stretch.start AND sequence <= stretch.end`,
          sql`stretch.end = last`,
        ]
      : [
          sql`least(${from}::bigint, last + 1)`,
          sql`greatest(start - ${length}::bigint, removed + 1 ${lastScanned(sql`sequence < start`, direction)})`,
          sql`sequence < stretch.start AND sequence >= stretch.end`,
          sql`true`,
        ];
    const condition = sql`NOT "isAwaited" AND ${withinSql} ${join(filters, ' ')}`;
    // A range with an order, so that the index of numbers is used, whatever the statistics say.
    const idAt = (sequence: Sql) =>
      sql`(SELECT id FROM ${Event}
           WHERE organization_id = ${organizationId} AND sequence >= ${sequence} AND sequence <= ${sequence}
           ORDER BY sequence LIMIT 1)`;
    const unnumbered = sql`
      (SELECT position FROM ${Event} WHERE organization_id = ${organizationId} AND sequence IS NULL
       ORDER BY position LIMIT 1)`;
    // Materialized, or the scans for the end would be repeated for each event of the page.
    const statement = sql`
      WITH bounds AS MATERIALIZED (
        SELECT last, removed, start, ${end} AS end FROM (
          SELECT last, removed, ${start} AS start FROM (
            SELECT coalesce(max(sequence), 0) AS last, coalesce(max(removed), 0) AS removed
            FROM ${EventHead} WHERE organization_id = ${organizationId}
          ) AS head
        ) AS head
      ),
      stretch AS MATERIALIZED (
        SELECT stretch.*, ${idAt(sql`${from}::bigint`)} AS "fromId", ${idAt(raw('stretch.end'))} AS "endId",
          ${when === 'unless behind'}::boolean AND ${needsNewest} AND ${unnumbered} IS NOT NULL AS "isAwaited"
        FROM bounds AS stretch
      )
      SELECT stretch.*, page.* FROM stretch
      LEFT JOIN LATERAL (
        ${firstOf(organizationId, ranges, { condition, direction, limit: limit + 1 })}
      ) AS page ON true
      ORDER BY page.sequence ${direction}`;
    const rows = await this.database.read(organizationId, (manager) =>
      query<EventRow & Stretch & { isAwaited: boolean }>(manager, statement),
    );
    const { fromId, endId, isAwaited } = rows[0];
    const [last, removed, reached] = [rows[0].last, rows[0].removed, rows[0].end].map(Number);
    const found = rows.filter(({ id }) => id !== null);
    const { items, endsAfter } = await this.whole(organizationId, found.slice(0, limit));
    // Without it, the page ends where the statement has stopped.
    const lastRow = endsAfter ?? (found.length > limit ? found[limit - 1] : undefined);
    return {
      rows: items,
      position: lastRow ? Number(lastRow.sequence) : reached,
      positionId: lastRow ? lastRow.id : endId,
      fromId,
      hasMore: lastRow !== undefined || (isAscending ? reached < last : reached > removed + 1),
      isAwaited,
      last,
      removed,
    };
  }
}
