import type { EntityManager } from 'typeorm';
import { tableName } from '../database/tables';

/** Emptied in about half a second. */
const EVENTS_PER_BITE = 10_000;

/** Takes the data out of all events of a target, in bites, so that no statement of a long history times out. */
export async function emptyEvents(
  manager: EntityManager,
  organizationId: string,
  targetId: string,
): Promise<void> {
  const events = tableName(manager.dataSource, 'events');
  let count = EVENTS_PER_BITE;
  while (count === EVENTS_PER_BITE) {
    [, count] = await manager.query<[unknown, number]>(
      `UPDATE ${events} SET data = NULL WHERE organization_id = $1 AND id = ANY (ARRAY(
         SELECT id FROM ${events} WHERE organization_id = $1 AND target_id = $2 AND data IS NOT NULL
         ORDER BY sequence LIMIT ${EVENTS_PER_BITE}))`,
      [organizationId, targetId],
    );
  }
}
