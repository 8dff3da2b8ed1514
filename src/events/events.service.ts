import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import { isId } from '../platform/database/id';
import { query, sql } from '../platform/database/sql';
import { type By, callerOf } from '../platform/http/caller';
import { type FaultCode, invalidInput, notFound } from '../platform/http/fault';
import { decodeCursor, encodeCursor } from '../platform/pages/cursor';
import type { Page } from '../platform/pages/paginate';
import { Event, EVENT_COLUMNS, type EventRow } from './event/event.entity';
import { EventLog, type LogPage, NEWEST } from './log/event-log';
import { serializeEvent } from './event/event.serializer';
import type { EventView } from './event/event.view';
import type { ListEventsDto } from './event/event.dto';

/** In ascending order `nextCursor` is never null, so `hasMore` says whether there are more events now. */
type EventPage = Page<EventRow> & { hasMore: boolean };

/** Lists the events of an organization, and gets one. */
@Injectable()
export class EventsService {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /** The data of the events stays text, ready for a JSON response. */
  async list(by: By, input: ListEventsDto): Promise<EventPage> {
    const { organizationId } = callerOf(by);
    const { cursor, order, type, target, actor, since, until } = input;
    const list = ['events', organizationId, order, { type, target, actor, since, until }];
    const start = order === 'asc' ? 0 : NEWEST;
    const [after, afterId] = cursor === undefined ? [String(start)] : decodeCursor(cursor, list, isPosition);
    const from = Number(after);
    const page = await this.log.page(organizationId, input, from);
    if (cursor !== undefined) requireKnown(order === 'asc' ? from : from - 1, afterId, page);
    const { rows, position, positionId, hasMore } = page;
    const nextCursor =
      order === 'asc' || hasMore ? encodeCursor([String(position), positionId ?? ''], list) : null;
    return { data: rows, nextCursor, hasMore };
  }

  async get(by: By, id: string): Promise<EventView> {
    const { organizationId } = callerOf(by);
    if (!isId('evt', id)) throw eventNotFound();
    const [event] = await this.database.read(organizationId, (manager) =>
      query<EventRow>(
        manager,
        sql`SELECT ${EVENT_COLUMNS} FROM ${Event}
            WHERE organization_id = ${organizationId} AND id = ${id} AND sequence IS NOT NULL`,
      ),
    );
    if (!event) throw eventNotFound();
    return serializeEvent(event);
  }
}

const eventNotFound = () => notFound('There is no such event.');

/** A number, and the id of its event, if any, because after a restored backup another event may get the number. */
const isPosition = (values: string[]) => values.length <= 2 && /^\d{1,15}$/.test(values[0]);

/** Throws a 400 if events after the cursor have been removed, or a restored backup does not have the cursor's event. */
function requireKnown(position: number, id: string | undefined, { last, removed, fromId }: LogPage): void {
  if (position < removed) throw cursorFault('out_of_range', 'is older than the events that are kept');
  const isAnother = Boolean(id) && fromId !== null && fromId !== id;
  if (position > last || isAnother)
    throw cursorFault('out_of_range', 'belongs to events that a restored backup does not have');
}

const cursorFault = (code: FaultCode, message: string) => invalidInput([{ field: 'cursor', code, message }]);
