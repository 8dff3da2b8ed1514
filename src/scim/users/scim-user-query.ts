import { isId } from '../../platform/database/id';
import { join, type Sql, sql } from '../../platform/database/sql';
import { opaque } from '../../platform/pages/paginate';
import { User } from '../../users/user/user.entity';
import { emailKey } from '../../users/user/user.keys';
import type { UserSelection } from '../../users/query/user-query';
import type { UserSort } from '../../users/query/user.sorts';
import { type Comparison, isTime, whereTime } from '../filter/filter';
import { matchKey } from './match-keys';
import { ScimUser } from './scim-user.entity';

/** A filter that finds more users by their keys is refused: their index has no order, so a page reads all of them. */
export const MAX_FOUND = 10_000;

/** The comparisons of a filter, grouped by the index that answers them. */
export function split(comparisons: readonly Comparison[]) {
  const valuesOf = <Value>(wanted: string) =>
    comparisons.filter(({ path }) => path === wanted).map(({ value }) => value as Value);
  const others = ['id', 'userName', 'active', 'groups.value'];
  // Another text is nobody's id, like the empty one.
  const idsOf = (prefix: string, path: string) =>
    valuesOf<string>(path).map((id) => (isId(prefix, id) ? id : ''));
  return {
    ids: idsOf('usr', 'id'),
    userNames: valuesOf<string>('userName'),
    active: valuesOf<boolean>('active'),
    groups: idsOf('grp', 'groups.value'),
    times: comparisons.filter(isTime),
    /** Found by `scim_users.keys`. */
    attributes: comparisons.filter((one) => !others.includes(one.path) && !isTime(one)),
  };
}

/** A selection of users with its sort order. */
export type Listed = UserSelection & { sort: UserSort };

/**
 * The users that pass the filter, apart from its groups. Each filter has one plan, whatever the statistics say: by id,
 * by the unique index of user names, by the keys of directory attributes, or along the index of a time.
 */
export function selectionOf(
  organizationId: string,
  { ids, userNames, active, times, attributes }: ReturnType<typeof split>,
): Listed {
  const sorted = times.find(({ op }) => op === 'eq') ?? times.at(0);
  const conditions = times.map(whereTime);
  if (new Set(active).size > 1) conditions.push(sql`false`);
  const lookUps = [
    ...ids.map((id) => ({ among: sql`SELECT ${id}::text AS user_id`, where: sql`id = ${id}` })),
    ...userNames.map((userName) => {
      const where = sql`coalesce(user_name_key, email_key) = ${emailKey(userName.trim())}`;
      return {
        among: sql`SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${where}`,
        where,
      };
    }),
    ...(attributes.length > 0
      ? [{ among: foundBy(organizationId, attributes), where: whereAttributes(organizationId, attributes) }]
      : []),
  ];
  const [first, ...others] = lookUps;
  conditions.push(...others.map(({ where }) => where));
  return {
    organizationId,
    sort: sorted?.path === 'meta.lastModified' ? 'updatedAt' : 'createdAt',
    ...(active.length > 0 && { filter: { active: active[0] } }),
    ...(conditions.length > 0 && { where: join(conditions, ' AND ') }),
    ...(first && { among: first.among }),
  };
}

/** The ids of the users with these attributes: at most `MAX_FOUND` and one more. */
function foundBy(organizationId: string, attributes: readonly Comparison[]): Sql {
  const own = whereOwnEmail(organizationId, attributes);
  return sql`SELECT user_id FROM (
    SELECT user_id FROM ${ScimUser} WHERE organization_id = ${organizationId} AND keys @> ${attributes.map(matchKey)}::text[]
    ${own ? sql`UNION ALL SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${own}` : sql``}
    LIMIT ${opaque(MAX_FOUND + 1)}
  ) AS found`;
}

/** Whether a single user has these attributes, as a condition on its row. */
function whereAttributes(organizationId: string, attributes: readonly Comparison[]): Sql {
  const own = whereOwnEmail(organizationId, attributes);
  return sql`(${own ? sql`${own} OR` : sql``} EXISTS (
    SELECT FROM ${ScimUser} AS given
    WHERE given.organization_id = ${organizationId} AND given.user_id = users.id AND given.keys @> ${attributes.map(matchKey)}::text[]))`;
}

/** A user that no directory has written shows its own email, of the type "work", and is found by nothing else here. */
function whereOwnEmail(organizationId: string, attributes: readonly Comparison[]): Sql | undefined {
  const keys = attributes.map(({ path, value, type = 'work' }) =>
    path === 'emails.value' && type.toLowerCase() === 'work' ? emailKey(String(value).trim()) : undefined,
  );
  if (keys.some((key) => key === undefined || key !== keys[0])) return undefined;
  return sql`email_key = ${keys[0]} AND
    (SELECT true FROM ${ScimUser} AS given WHERE given.organization_id = ${organizationId} AND given.user_id = users.id) IS NULL`;
}
