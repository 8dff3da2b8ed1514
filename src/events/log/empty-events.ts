import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../platform/database/sql';
import { Event } from '../event/event.entity';

/** The largest events are about 33 KB; emptying this many takes about half a second. */
const EVENTS_PER_STATEMENT = 500;

/** An event whose data has been removed. */
export interface EmptiedEvent {
  sequence: string | null;
}

/** Whether emptying the events of a target takes several statements. */
export async function hasLongHistory(
  manager: EntityManager,
  organizationId: string,
  targetId: string,
): Promise<boolean> {
  const rows = await query(
    manager,
    sql`SELECT id FROM ${Event} WHERE organization_id = ${organizationId} AND target_id = ${targetId} AND data IS NOT NULL
        LIMIT 1 OFFSET ${EVENTS_PER_STATEMENT}`,
  );
  return rows.length > 0;
}

/**
 * Removes the data of all events of a target, in several statements, so that a long history does not time out. Each
 * continues after the previous one, so that together they read each event once.
 */
export async function emptyEvents(
  update: (statement: Sql) => Promise<EmptiedEvent[]>,
  organizationId: string,
  targetId: string,
  signal?: AbortSignal,
): Promise<void> {
  const emptyNext = (condition: Sql) => {
    signal?.throwIfAborted();
    return update(
      sql`UPDATE ${Event} SET data = NULL WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
            SELECT id FROM ${Event}
            WHERE organization_id = ${organizationId} AND target_id = ${targetId} AND data IS NOT NULL AND ${condition}
            ORDER BY sequence LIMIT ${EVENTS_PER_STATEMENT})) RETURNING sequence`,
    );
  };
  let emptied: EmptiedEvent[];
  // Unnumbered events first: one that is numbered meanwhile is already empty.
  do emptied = await emptyNext(sql`sequence IS NULL`);
  while (emptied.length === EVENTS_PER_STATEMENT);
  let last = 0;
  do {
    emptied = await emptyNext(sql`sequence > ${last}`);
    last = Math.max(last, ...emptied.map(({ sequence }) => Number(sequence)));
  } while (emptied.length === EVENTS_PER_STATEMENT);
}
