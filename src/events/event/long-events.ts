import type { Database } from '../../database/database';
import { sql } from '../../database/sql';
import { wholeRows } from '../../pages/long-rows';
import { Event, EVENT_COLUMNS, type EventRow } from './event.entity';
import { eventAsJson } from './event.serializer';

/** The rows of a page of `SHORT_EVENT_COLUMNS` with the data that is not short, as many as fit on a page. */
export const withLongData = (database: Database, organizationId: string, rows: EventRow[]) =>
  wholeRows<EventRow, EventRow>(database, rows, {
    organizationId,
    isLong: ({ data }) => data === null,
    select: (ids) =>
      sql`SELECT ${EVENT_COLUMNS} FROM ${Event} WHERE organization_id = ${organizationId} AND id = ANY (${ids})`,
    bytesOf: (row) => Buffer.byteLength(eventAsJson(row)),
  });
