import { isId } from '../../platform/database/id';
import { join, type Sql, sql } from '../../platform/database/sql';
import { EVENT_TARGETS } from '../event/event.types';
import { Event, SHORT_EVENT_COLUMNS } from '../event/event.entity';

/** The types of events about a user whose target is a group. */
const MEMBER_EVENTS = sql`type IN ('group.member_added', 'group.member_removed')`;

/**
 * The events about a target, as ranges of an index in the order of their numbers. A user has two: its own events, and
 * those of groups that it was added to or removed from.
 */
export const rangesAbout = (target: string): Sql[] => [
  sql`target_id = ${target}`,
  ...(isId(EVENT_TARGETS.user, target) ? [sql`${MEMBER_EVENTS} AND data #>> '{user,id}' = ${target}`] : []),
];

/** The first events of these ranges that meet a condition. Each range is read by its own index, up to the limit. */
export function firstOf(
  organizationId: string,
  ranges: readonly Sql[],
  { condition, direction, limit }: { condition: Sql; direction: Sql; limit: number },
): Sql {
  const order = sql`ORDER BY sequence ${direction} LIMIT ${limit}`;
  const parts = ranges.map(
    (range) =>
      sql`(SELECT * FROM ${Event} WHERE organization_id = ${organizationId} AND ${range} AND ${condition} ${order})`,
  );
  return sql`SELECT ${SHORT_EVENT_COLUMNS} FROM (${join(parts, ' UNION ALL ')}) AS events ${order}`;
}
