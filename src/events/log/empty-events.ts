import type { EntityManager } from 'typeorm';
import { execute, sql } from '../../database/sql';
import { Event } from '../event.entity';

/** Emptied in about half a second. */
const EVENTS_PER_STATEMENT = 10_000;

/** Takes the data out of all events of a target, in several statements, so that none of a long history times out. */
export async function emptyEvents(
  manager: EntityManager,
  organizationId: string,
  targetId: string,
): Promise<void> {
  let count: number;
  do {
    count = await execute(
      manager,
      sql`UPDATE ${Event} SET data = NULL WHERE organization_id = ${organizationId} AND id = ANY (ARRAY(
            SELECT id FROM ${Event} WHERE organization_id = ${organizationId} AND target_id = ${targetId} AND data IS NOT NULL
            ORDER BY sequence LIMIT ${EVENTS_PER_STATEMENT}))`,
    );
  } while (count === EVENTS_PER_STATEMENT);
}
