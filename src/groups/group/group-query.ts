import type { EntityManager } from 'typeorm';
import { join, query, type Sql, sql } from '../../platform/database/sql';
import { cursorAfter, opaque, type Page, paginate, type SortColumn } from '../../platform/pages/paginate';
import { displayNameKey } from './display-name';
import { Group, GROUP_COLUMNS, type GroupRow } from './group.entity';
import { GroupMember } from './group-member.entity';

/** The groups of an organization that a list returns. An absent filter matches all of them. */
export interface GroupFilter {
  /** In any letter case. */
  displayName?: string;
  externalId?: string;
  /** The id of a member. */
  user?: string;
}

/** Groups of an organization. */
export interface GroupSelection {
  organizationId: string;
  filter?: GroupFilter;
  /** A further condition on a row of `groups`. */
  where?: Sql;
}

const COLUMNS: SortColumn[] = [
  { column: 'display_name_key', property: 'display_name_key', type: 'text' },
  { column: 'id', property: 'id', type: 'text' },
];

/** The page of groups after a cursor, by name. `of` identifies `where` in cursors. */
export function pageOfGroups(
  manager: EntityManager,
  selection: GroupSelection,
  { limit, cursor, of }: { limit: number; cursor?: string; of?: unknown },
): Promise<Page<GroupRow>> {
  return paginate<GroupRow>(manager, {
    select: sql`SELECT ${GROUP_COLUMNS}, display_name_key FROM ${groupsWho(selection)}`,
    columns: COLUMNS,
    order: 'asc',
    limit,
    cursor,
    list: listIn(selection, of),
  });
}

/** The cursor of the page after this row of `pageOfGroups()`, if the page is to end with it. */
export const cursorAfterGroup = (row: object, selection: GroupSelection, of?: unknown) =>
  cursorAfter(row, { columns: COLUMNS, list: listIn(selection, of) });

/** Identifies the list in its cursors. */
function listIn(
  { organizationId, filter: { displayName, ...filter } = {} }: GroupSelection,
  of: unknown,
): unknown[] {
  const key = displayName === undefined ? {} : { key: displayNameKey(displayName) };
  return ['groups', organizationId, { ...filter, ...key }, ...(of === undefined ? [] : [of])];
}

/** The groups from a position on, in the order of creation. All groups before the position are read. */
export const rangeOfGroups = (
  manager: EntityManager,
  selection: GroupSelection,
  { offset, limit }: { offset: number; limit: number },
): Promise<GroupRow[]> =>
  query(
    manager,
    sql`SELECT ${GROUP_COLUMNS} FROM ${groupsWho(selection)} ORDER BY id LIMIT ${opaque(limit)} OFFSET ${opaque(offset)}`,
  );

/** The number of groups, counted up to `max + 1`. */
export async function countGroups(
  manager: EntityManager,
  selection: GroupSelection,
  max: number,
): Promise<number> {
  const [{ count }] = await query<{ count: number }>(
    manager,
    sql`SELECT count(*)::int AS count FROM (SELECT FROM ${groupsWho(selection)} LIMIT ${opaque(max + 1)}) AS counted`,
  );
  return count;
}

/** An item of FROM with its WHERE. OFFSET 0 makes PostgreSQL apply the selective filter first, in any order. */
function groupsWho({ organizationId, filter = {}, where = sql`true` }: GroupSelection): Sql {
  const { displayName, externalId, user } = filter;
  const conditions = [
    displayName !== undefined && sql`display_name_key = ${displayNameKey(displayName)}`,
    externalId !== undefined &&
      sql`left(external_id, 200) = left(${externalId}, 200) AND external_id = ${externalId}`,
    user !== undefined &&
      sql`id = ANY (ARRAY(SELECT group_id FROM ${GroupMember} WHERE organization_id = ${organizationId} AND user_id = ${user}))`,
  ].filter((condition) => condition !== false);
  if (conditions.length === 0) return sql`${Group} WHERE organization_id = ${organizationId} AND ${where}`;
  const few = sql`SELECT * FROM ${Group} WHERE organization_id = ${organizationId} AND ${conditions[0]} OFFSET 0`;
  return sql`(${few}) AS groups WHERE ${join([where, ...conditions.slice(1)], ' AND ')}`;
}
