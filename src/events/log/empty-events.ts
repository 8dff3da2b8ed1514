import type { EntityManager } from 'typeorm';
import { query, type Sql, sql } from '../../database/sql';
import { Event } from '../event.entity';

/** The largest events have some 33 KB; this many of them are emptied in about half a second. */
const EVENTS_PER_STATEMENT = 500;

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

/** Takes the data out of all events of a target, in several statements, so that none of a long history times out. */
export async function emptyEvents(
  execute: (statement: Sql) => Promise<number>,
  organizationId: string,
  targetId: string,
  signal?: AbortSignal,
): Promise<void> {
  let count: number;
  do {
    signal?.throwIfAborted();
    count = await execute(
      sql`UPDATE ${Event} SET data = NULL WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
            SELECT id FROM ${Event} WHERE organization_id = ${organizationId} AND target_id = ${targetId} AND data IS NOT NULL
            ORDER BY sequence LIMIT ${EVENTS_PER_STATEMENT}))`,
    );
  } while (count === EVENTS_PER_STATEMENT);
}
