import type { DataSource } from 'typeorm';
import { newId } from '../database/id';
import type { Parameters } from '../database/parameters';
import { tableName } from '../database/tables';
import type { Caller } from '../http/caller';
import type { EventType } from './event.types';

/** An event to be written with the change that it tells of. */
export interface NewEvent {
  by: Caller;
  type: EventType;
  targetId: string;
  /** The `user` after the change, and on an update `previous`. It need not have the times that the statement sets. */
  data: object;
}

/** A step of the change's statement, so that neither is ever without the other. */
export function recordEvents(
  dataSource: DataSource,
  parameters: Parameters,
  organization: string,
  events: readonly NewEvent[],
): string[] {
  if (events.length === 0) return [];
  const values = events.map(({ by, type, targetId, data }) => {
    const { source, actor, requestId } = by;
    const cells = [
      newId('evt'),
      type,
      source,
      actor.id,
      actor.name,
      targetId,
      requestId,
      JSON.stringify(data),
    ];
    return `(${[organization, ...cells.map((cell) => parameters.bind(cell))].join(', ')})`;
  });
  return [
    `recorded AS (
       INSERT INTO ${tableName(dataSource, 'events')}
         (organization_id, id, type, source, actor_id, actor_name, target_id, request_id, data)
       VALUES ${values.join(', ')}
     )`,
  ];
}
