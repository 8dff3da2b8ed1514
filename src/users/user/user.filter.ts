import { type Sql, sql } from '../../database/sql';
import type { Role } from './user.entity';

/** Which users of an organization a list or a search returns. A filter that is absent lets all of them pass. */
export interface UserFilter {
  role?: Role;
}

/** The filter as a condition on a row of `users`. */
export const filterOf = ({ role }: UserFilter): Sql => (role === undefined ? sql`true` : sql`role = ${role}`);

/** Whether there is anything to filter by. */
export const isFiltered = (filter: UserFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);
