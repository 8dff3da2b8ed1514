import type { Database } from '../../platform/database/database';
import { type Sql, sql } from '../../platform/database/sql';
import { Event, EVENT_COLUMNS, type EventRow } from '../event/event.entity';

/** The events of an organization from one number to another, both included. */
export interface Stretch {
  organizationId: string;
  from: number;
  to: number;
}

/** The events of these stretches, in one statement, in the order of each organization. */
export const eventsOf = (
  database: Database,
  stretches: readonly Stretch[],
): Promise<(EventRow & { organizationId: string })[]> =>
  database.readAll(sql`
    SELECT events.organization_id AS "organizationId", ${EVENT_COLUMNS}
    FROM ${rowsOf(stretches)} ORDER BY events.organization_id, sequence`);

/** The ids of these events, as far as they are kept. */
export const idsOf = (
  database: Database,
  stretches: readonly Stretch[],
): Promise<{ organizationId: string; id: string }[]> =>
  database.readAll(sql`SELECT events.organization_id AS "organizationId", id FROM ${rowsOf(stretches)}`);

const rowsOf = (stretches: readonly Stretch[]): Sql =>
  sql`unnest(
        ${stretches.map(({ organizationId }) => organizationId)}::text[],
        ${stretches.map(({ from }) => from)}::bigint[], ${stretches.map(({ to }) => to)}::bigint[]
      ) AS stretch (organization_id, low, high)
      JOIN ${Event} AS events ON events.organization_id = stretch.organization_id AND sequence BETWEEN low AND high`;
