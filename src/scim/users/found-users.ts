import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../database/columns';
import { query, raw, sql } from '../../database/sql';
import { type GroupOfUser, groupsOfUser } from '../../groups/members/first-members';
import { User } from '../../users/user/user.entity';
import type { Resource } from '../schema/resource';
import type { FoundUser } from './scim-user-rows';
import { ScimUser } from './scim-user.entity';
import type { DirectoryUser, ShownUser } from './user-resource';

const SHOWN = columnsOf(User, ['id', 'name', 'email', 'active', 'version', 'createdAt', 'updatedAt']);

/** `attributes` and `groups` are JSON, which takes ten times the memory when it is parsed. */
type Row = ShownUser & { groups: string | null } & (
    | (Omit<DirectoryUser, 'attributes' | 'name' | 'email'> &
        Record<'attributes' | 'givenEmail' | 'givenName', string>)
    | { userName: null }
  );

/** These users with everything that belongs to them, in the same order; groups only if `shownGroups` is not 0. */
export async function readUsers(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  shownGroups: number,
): Promise<Row[]> {
  const groups = shownGroups > 0 ? groupsOfUser(organizationId, raw('users.id'), shownGroups) : raw('NULL');
  const rows = await query<Row>(
    manager,
    sql`SELECT ${SHOWN.selectText}, given.*, ${groups}::text AS groups
        FROM unnest(${ids}::text[]) AS wanted (user_id),
        LATERAL (SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND id = wanted.user_id OFFSET 0) AS users
        LEFT JOIN LATERAL (
          SELECT user_name AS "userName", external_id AS "externalId", attributes::text, email AS "givenEmail", name AS "givenName"
          FROM ${ScimUser} WHERE organization_id = ${organizationId} AND user_id = users.id OFFSET 0
        ) AS given ON true`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** A row with its JSON parsed. */
export function foundUser(row: Row): FoundUser {
  const directory =
    row.userName === null
      ? null
      : {
          userName: row.userName,
          externalId: row.externalId,
          attributes: JSON.parse(row.attributes) as Resource,
          email: row.givenEmail,
          name: row.givenName,
        };
  return {
    user: row,
    directory,
    groups: row.groups === null ? [] : (JSON.parse(row.groups) as GroupOfUser[]),
  };
}
