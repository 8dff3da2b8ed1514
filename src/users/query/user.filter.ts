import { anyOf, type Sql, sql } from '../../platform/database/sql';
import { type Role, ROLES, User } from '../user/user.entity';
import { emailKey } from '../user/user.keys';

/** Restricts a list, a search or an export of users. An absent filter matches all of them. */
export interface UserFilter {
  externalId?: string;
  /** In any letter case. */
  email?: string;
  /** Or one of several. */
  role?: Role | readonly Role[];
  active?: boolean;
}

/** The roles of a filter, each once and in one order, so that a cursor does not depend on how they were written. */
export const rolesOf = (role: UserFilter['role']): Role[] | undefined =>
  role === undefined ? undefined : ROLES.filter((one) => [role].flat().includes(one));

/** Whether any filter is set. */
export const isFiltered = (filter: UserFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** Whether the filter has a unique value, which only one user can have. */
export const hasUniqueValue = ({ externalId, email }: UserFilter): boolean =>
  externalId !== undefined || email !== undefined;

/** The filter as cursors contain it. A cursor is valid only with the same filter. */
export const filterInCursor = ({ externalId, email, role, active }: UserFilter) => ({
  externalId,
  emailKey: email && emailKey(email),
  role: rolesOf(role)?.join(),
  active,
});

/** The filter as a condition on a row of `users` that has been found in another way. */
export const filterOf = ({ externalId, email, role, active }: UserFilter): Sql => sql`(true
    ${externalId === undefined ? sql`` : sql`AND external_id = ${externalId}`}
    ${email === undefined ? sql`` : sql`AND email_key = ${emailKey(email)}`}
    ${role === undefined ? sql`` : sql`AND role = ${anyOf([role].flat(), 'text')}`}
    ${active === undefined ? sql`` : sql`AND active = ${active}`})`;

/** A further restriction of the users that pass a filter. */
interface Choice {
  /** A SELECT of the ids of the only permitted users. */
  among?: Sql;
  /** Turns rows into a SELECT of the permitted ones. */
  ofThem?: (rows: Sql) => Sql;
}

/**
 * The users who pass the filter, as an item of FROM. `page` continues their WHERE: conditions, each with its AND, an
 * order and a limit. The result contains all rows of the page, which the statement around it orders and limits again.
 *
 * The indexes for filters have the role, the state and then an order. If the filter has only one of the two, each value
 * of the other has its own part of the index, and `page` applies to each part, so that no other users are read. With
 * `among`, a SELECT of ids, only those users are read.
 */
export function usersWho(
  filter: UserFilter,
  organizationId: string,
  page: Sql,
  { among, ofThem = (rows) => rows }: Choice = {},
): Sql {
  const { externalId, email, role, active } = filter;
  // OFFSET 0 makes the planner look each user up by its key, whatever the order of the page.
  const lookUp = (key: Sql) =>
    sql`SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND ${key} OFFSET 0`;
  const found =
    among !== undefined
      ? sql`SELECT users.* FROM (${among}) AS found (user_id), LATERAL (${lookUp(sql`id = found.user_id`)}) AS users OFFSET 0`
      : externalId !== undefined
        ? lookUp(sql`external_id = ${externalId}`)
        : email !== undefined && lookUp(sql`email_key = ${emailKey(email)}`);
  if (found) return sql`(SELECT * FROM (${found}) AS users WHERE ${filterOf(filter)} ${page}) AS users`;
  if (role === undefined && active === undefined)
    return sql`(${ofThem(sql`SELECT * FROM ${User} WHERE organization_id = ${organizationId} ${page}`)}) AS users`;
  const parts = (rolesOf(role) ?? ROLES).flatMap((role) =>
    (active === undefined ? [true, false] : [active]).map((active) => ({ role, active })),
  );
  return sql`(
    SELECT found.* FROM unnest(${parts.map(({ role }) => role)}::text[], ${parts.map(({ active }) => active)}::boolean[])
      AS parts (of_role, of_active),
    LATERAL (${ofThem(sql`
      SELECT * FROM ${User}
      WHERE organization_id = ${organizationId} AND role = of_role AND active = of_active ${page}`)}
    ) AS found
  ) AS users`;
}
