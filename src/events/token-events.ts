import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { newId } from '../database/id';
import { Lanes } from '../database/lanes';
import { Parameters } from '../database/parameters';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import type { Caller } from '../http/caller';
import type { EventType } from './event.types';

const EVENTS_PER_BITE = 500;

/** The columns that `token_events` and `events` share. */
const COLUMNS = [
  'position',
  'organization_id',
  'id',
  'type',
  'occurred_at',
  'source',
  'actor_id',
  'actor_name',
  'target_id',
  'request_id',
  'data',
] as const;

type Row = Record<(typeof COLUMNS)[number], unknown>;

/** An event of a token. `data` and `target` are SQL on the row of the step `changed`. */
export interface NewTokenEvent {
  by: Caller;
  type: EventType;
  data: string;
  target: string;
}

/** A step of the statement that changes a token: the event for the row of the step `changed`. */
export function recordTokenEvent(
  dataSource: DataSource,
  values: unknown[],
  { by, type, data, target }: NewTokenEvent,
): string {
  const { source, actor, requestId } = by;
  const bind = (value: unknown) => `$${values.push(value)}::text`;
  return `recorded AS (
    INSERT INTO ${tableName(dataSource, 'token_events')}
      (organization_id, id, type, source, actor_id, actor_name, target_id, request_id, data)
    SELECT organization_id, ${bind(newId('evt'))}, ${bind(type)}, ${bind(source)}, ${bind(actor.id)}, ${bind(actor.name)}, ${target},
      ${bind(requestId)}, ${data} FROM changed
  )`;
}

/** The events of tokens, which wait in a table beside the tokens until somebody reads the events of the organization. */
@Injectable()
export class TokenEvents {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  /** The organizations that have some. */
  async waiting(): Promise<string[]> {
    const rows: { organizationId: string }[] = await this.dataSource.query(
      `SELECT DISTINCT organization_id AS "organizationId" FROM ${this.table()}`,
    );
    return rows.map(({ organizationId }) => organizationId);
  }

  /** Moves those of an organization to its other events. They keep their positions, and whoever comes second waits for the first. */
  async move(organizationId: string): Promise<void> {
    const sql = `SELECT FROM ${this.table()} WHERE organization_id = $1 LIMIT 1`;
    const find = () => retryBroken(() => this.dataSource.query(sql, [organizationId]));
    while ((await this.lanes.run('quick', organizationId, find)).length > 0)
      await this.lanes.run('quick', organizationId, () => this.moveBite(organizationId));
  }

  /** Two statements, because tokens and events may be on different servers. */
  private moveBite(organizationId: string): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      const [rows]: [Row[]] = await manager.query(
        `DELETE FROM ${this.table()} WHERE organization_id = $1 AND position IN (
           SELECT position FROM ${this.table()} WHERE organization_id = $1 ORDER BY position LIMIT ${EVENTS_PER_BITE})
         RETURNING ${COLUMNS.join(', ')}`,
        [organizationId],
      );
      if (rows.length === 0) return;
      const parameters = new Parameters();
      const values = rows.map(
        (row) => `(${COLUMNS.map((column) => parameters.bind(row[column])).join(', ')})`,
      );
      await manager.query(
        `INSERT INTO ${tableName(this.dataSource, 'events')} (${COLUMNS.join(', ')}) VALUES ${values.join(', ')}`,
        parameters.values,
      );
    });
  }

  private table(): string {
    return tableName(this.dataSource, 'token_events');
  }
}
