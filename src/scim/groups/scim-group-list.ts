import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { isId } from '../../platform/database/id';
import { join, type Sql, sql } from '../../platform/database/sql';
import { GroupMember } from '../../groups/group/group-member.entity';
import {
  countGroups,
  cursorAfterGroup,
  type GroupSelection,
  pageOfGroups,
  rangeOfGroups,
} from '../../groups/group/group-query';
import { displayNameKey } from '../../groups/group/display-name';
import { groupRecord } from '../../groups/group/group.serializer';
import { membersOfGroups } from '../../groups/members/first-members';
import type { Caller } from '../../platform/http/caller';
import { type Comparison, isTime, whereTime } from '../filter/filter';
import { GROUP } from '../schema/group.schema';
import { listQueryOf } from '../wire/list-query';
import { listResponse } from '../wire/list-response';
import { Projection } from '../wire/projection';
import { groupResource } from './group-resource';

/** The number of members that each group in a list shows. */
const LISTED_MEMBERS = 100;

/** Lists groups as directories ask for them. */
@Injectable()
export class ScimGroupList {
  constructor(private readonly database: Database) {}

  /** The page that a query string or the body of a `.search` asks for, as a ListResponse. */
  list({ organizationId }: Caller, input: Record<string, unknown>, base: string): Promise<string> {
    const projection = new Projection(GROUP, input);
    const query = listQueryOf(GROUP, input);
    const withMembers = projection.shows('members');
    const selection = selectionOf(organizationId, query.comparisons);
    const isNamed = query.comparisons.some(({ path }) => path === 'id' || path === 'displayName');
    return this.database.read(
      organizationId,
      (manager) =>
        listResponse(query, {
          range: (range) => rangeOfGroups(manager, selection, range),
          count: (max) => countGroups(manager, selection, max),
          after: (page) => pageOfGroups(manager, selection, page),
          cursorAfter: (row) => cursorAfterGroup(row, selection, query.of),
          read: async (rows) => {
            const ids = rows.map(({ id }) => id);
            const members = withMembers
              ? await membersOfGroups(manager, organizationId, ids, LISTED_MEMBERS)
              : undefined;
            return rows.map((row) => ({ id: row.id, row, members: members?.get(row.id) }));
          },
          resourceOf: ({ row, members }) => projection.apply(groupResource(groupRecord(row), members, base)),
        }),
      withMembers && !isNamed && query.count > 1 ? 'heavy' : 'quick',
    );
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
