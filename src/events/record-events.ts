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
  /**
   * The `user` after the change, and on an update `previous`. It need not have the times that the statement sets. Null of a user
   * who has been purged.
   */
  data: object | null;
}

/** A step of the change's statement, so that neither is ever without the other. */
export function recordEvents(
  dataSource: DataSource,
  parameters: Parameters,
  organization: string,
  events: readonly NewEvent[],
): string[] {
  if (events.length === 0) return [];
  const nextPosition = `nextval('${tableName(dataSource, 'event_positions')}')`;
  const values = events.map(({ by: { source, actor, requestId }, type, targetId, data }) => {
    const cells = [
      organization,
      parameters.bind(newId('evt')),
      ...[type, source, actor.id, actor.name, targetId, requestId].map((text) => parameters.share(text)),
      parameters.bind(data && JSON.stringify(data)),
      nextPosition,
    ];
    return `(${cells.join(', ')})`;
  });
  return [
    `recorded AS (
       INSERT INTO ${tableName(dataSource, 'events')}
         (organization_id, id, type, source, actor_id, actor_name, target_id, request_id, data, position)
       VALUES ${values.join(', ')}
     )`,
  ];
}
