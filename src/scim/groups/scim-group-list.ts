import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database';
import { isId } from '../../database/id';
import { join, type Sql, sql } from '../../database/sql';
import { GroupMember } from '../../groups/group/group-member.entity';
import {
  countGroups,
  type GroupSelection,
  pageOfGroups,
  rangeOfGroups,
} from '../../groups/group/group-query';
import { displayNameKey } from '../../groups/group/display-name';
import { type GroupRecord, groupRecord } from '../../groups/group/group.serializer';
import type { Caller } from '../../http/caller';
import { type Comparison, isTime, whereTime } from '../filter/filter';
import { type ListQuery, type ListResult, pageByPosition } from '../wire/list-query';

/** Lists groups as directories ask for them. */
@Injectable()
export class ScimGroupList {
  constructor(private readonly database: Database) {}

  list({ organizationId }: Caller, query: ListQuery): Promise<ListResult<GroupRecord>> {
    const { cursor, count: limit, filter } = query;
    const selection = selectionOf(organizationId, query.comparisons);
    return this.database.read(organizationId, async (manager) => {
      if (cursor === undefined) {
        const { rows, total } = await pageByPosition(
          query,
          (range) => rangeOfGroups(manager, selection, range),
          (max) => countGroups(manager, selection, max),
        );
        return { rows: rows.map(groupRecord), total };
      }
      const page = await pageOfGroups(manager, selection, {
        limit,
        ...(cursor && { cursor }),
        of: ['scim', filter],
      });
      const { data, nextCursor } = page;
      return { rows: data.map(groupRecord), ...(nextCursor !== null && { nextCursor }) };
    });
  }
}

/** The first comparison of each kind selects groups by an index; the others filter what it finds. */
function selectionOf(organizationId: string, comparisons: readonly Comparison[]): GroupSelection {
  const filter: NonNullable<GroupSelection['filter']> = {};
  const conditions: Sql[] = [];
  for (const comparison of comparisons) {
    const { path } = comparison;
    const text = String(comparison.value);
    if (isTime(comparison)) conditions.push(whereTime(comparison));
    else if (path === 'id') conditions.push(sql`id = ${isId('grp', text) ? text : ''}`);
    else if (path === 'displayName') {
      if (filter.displayName === undefined) filter.displayName = text;
      else conditions.push(sql`display_name_key = ${displayNameKey(text)}`);
    } else if (path === 'externalId') {
      if (filter.externalId === undefined) filter.externalId = text;
      else conditions.push(sql`external_id = ${text}`);
    } else if (filter.user === undefined) filter.user = text;
    else conditions.push(whereMember(organizationId, text));
  }
  return { organizationId, filter, ...(conditions.length > 0 && { where: join(conditions, ' AND ') }) };
}

const whereMember = (organizationId: string, userId: string): Sql => sql`(
  SELECT true FROM ${GroupMember} AS member
  WHERE member.organization_id = ${organizationId} AND member.group_id = groups.id AND member.user_id = ${userId})`;
