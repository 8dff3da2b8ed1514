import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isId } from '../database/id';
import { Lanes } from '../database/lanes';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { type By, callerOf } from '../http/caller';
import { type FaultCode, invalidInput, notFound } from '../http/fault';
import { judgeOrThrow } from '../http/input/judge';
import { decodeCursor, encodeCursor } from '../pages/cursor';
import type { Page } from '../pages/paginate';
import { EVENT_COLUMNS, type EventRecord, type EventRow, recordOf } from './event.record';
import { EventLog, type LogPage, NEWEST } from './event-log';
import { ListEventsDto } from './events.dto';

/** In ascending order `nextCursor` is never null, so `hasMore` says whether there are more events now. */
export type EventPage = Page<EventRecord> & { hasMore: boolean };

/** Lists the events of an organization, and gets one. */
@Injectable()
export class EventsService {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
    private readonly log: EventLog,
  ) {}

  async list(by: By, input: Partial<ListEventsDto> = {}): Promise<EventPage> {
    const { organizationId } = callerOf(by);
    const query = judgeOrThrow(ListEventsDto, input);
    const { cursor, order, type, target, actor, since, until } = query;
    const list = ['events', organizationId, order, { type, target, actor, since, until }];
    const start = order === 'asc' ? 0 : NEWEST;
    const from = cursor === undefined ? start : Number(decodeCursor(cursor, list, isPosition)[0]);
    const page = await this.log.page(organizationId, query, from);
    if (cursor !== undefined) requireKnown(order === 'asc' ? from : from - 1, page);
    const { rows, position, hasMore } = page;
    const nextCursor = order === 'asc' || hasMore ? encodeCursor([String(position)], list) : null;
    return { data: rows.map(recordOf), nextCursor, hasMore };
  }

  async get(by: By, id: string): Promise<EventRecord> {
    const { organizationId } = callerOf(by);
    const sql = `SELECT ${EVENT_COLUMNS} FROM ${tableName(this.dataSource, 'events')}
      WHERE organization_id = $1 AND id = $2 AND sequence IS NOT NULL`;
    const read = () => retryBroken(() => this.dataSource.query(sql, [organizationId, id]));
    const [row]: EventRow[] = isId('evt', id) ? await this.lanes.run('quick', organizationId, read) : [];
    if (!row) throw notFound('There is no such event.');
    return recordOf(row);
  }
}

const isPosition = (values: string[]) => values.length === 1 && /^\d{1,15}$/.test(values[0]);

/** Throws a 400 if events behind the cursor have been removed, or if it is of a future that the database has lost. */
function requireKnown(position: number, { last, removed }: LogPage): void {
  if (position < removed) throw cursorFault('out_of_range', 'is older than the events that are kept');
  if (position > last) throw cursorFault('invalid', 'is not a valid cursor for this list');
}

const cursorFault = (code: FaultCode, message: string) => invalidInput([{ field: 'cursor', code, message }]);
