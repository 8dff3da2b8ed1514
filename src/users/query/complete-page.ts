import type { Database } from '../../platform/database/database';
import { query, sql } from '../../platform/database/sql';
import { MAX_PAGE_BYTES, wholeRows } from '../../platform/pages/long-rows';
import type { Page } from '../../platform/pages/paginate';
import { User, USER_COLUMNS } from '../user/user.entity';
import { userToJson } from '../user/user.serializer';
import type { UserText } from '../user/user.view';
import { type DirectoryAttributes, SHORT_DIRECTORY_BYTES } from './directory-attributes';
import { filterOf, type UserFilter } from './user.filter';

/** A user with short metadata has fewer bytes, even if all characters of its texts are escaped. */
const MAX_SHORT_USER = 5_000;

/** The most bytes that these rows can have, without looking at their characters, each of which has at most three. */
const mostBytesOf = (rows: UserText[]) =>
  rows.reduce((sum, { directory }) => sum + MAX_SHORT_USER + 3 * (directory?.length ?? 0), 0);

interface PageOfUsers<Row> {
  organizationId: string;
  /** A user who no longer passes it is left out. */
  filter: UserFilter;
  /** Adds the attributes of directories. */
  directory?: DirectoryAttributes;
  cursorAfter: (row: Row) => string;
}

/**
 * Completes a page of `selectShortText`: with what a directory has set, if it is wanted, and with what is not short.
 * The page may end early. Users are read before their attributes, which may then be newer than the version that is
 * shown, but not older: whoever looks for changes by the version misses none.
 */
export async function completePage<Row extends UserText>(
  database: Database,
  { data, nextCursor }: Page<Row>,
  { organizationId, filter, directory, cursorAfter }: PageOfUsers<Row>,
): Promise<Page<UserText>> {
  const rows = directory
    ? await database.read(organizationId, (manager) =>
        directory.addTo(manager, organizationId, data, SHORT_DIRECTORY_BYTES),
      )
    : data;
  const { items, endsAfter } = await wholeRows<Row, UserText>(database, rows, {
    organizationId,
    isLong: (row) => (row.metadata as string | null) === null || row.directory === null,
    read: async (manager, ids) => {
      // OFFSET 0 makes the planner look each user up, whatever the filter.
      const users = await query<UserText>(
        manager,
        sql`SELECT ${USER_COLUMNS.selectText} FROM (
              SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND id = ANY (${ids}) OFFSET 0
            ) AS users WHERE ${filterOf(filter)}`,
      );
      return directory ? directory.addTo(manager, organizationId, users) : users;
    },
    bytesOf: (row) => Buffer.byteLength(userToJson(row)),
    isSmall: !directory || mostBytesOf(rows) <= MAX_PAGE_BYTES,
  });
  return { data: items, nextCursor: endsAfter ? cursorAfter(endsAfter) : nextCursor };
}
