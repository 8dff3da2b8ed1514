import type { Database } from '../../database/database';
import { sql } from '../../database/sql';
import { wholeRows } from '../../pages/long-rows';
import type { Page } from '../../pages/paginate';
import { USER_COLUMNS, User } from './user.entity';
import { filterOf, type UserFilter } from './user.filter';
import type { UserText } from './user.view';

interface PageOfUsers<Row> {
  organizationId: string;
  /** A user who no longer passes it is left out. */
  filter: UserFilter;
  cursorAfter: (row: Row) => string;
}

/** Completes a page of `selectShortText` with the metadata that is not short. The page may end early. */
export async function withLongMetadata<Row extends UserText>(
  database: Database,
  { data, nextCursor }: Page<Row>,
  { organizationId, filter, cursorAfter }: PageOfUsers<Row>,
): Promise<Page<UserText>> {
  const { items, endsAfter } = await wholeRows<Row, UserText>(database, data, {
    organizationId,
    isLong: ({ metadata }) => (metadata as string | null) === null,
    // OFFSET 0 makes the planner look each user up, whatever the filter.
    select: (ids) => sql`
      SELECT ${USER_COLUMNS.selectText} FROM (
        SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND id = ANY (${ids}) OFFSET 0
      ) AS users WHERE ${filterOf(filter)}`,
    bytesOf: (row) => Buffer.byteLength(USER_COLUMNS.toJson({ ...row })),
  });
  return { data: items, nextCursor: endsAfter ? cursorAfter(endsAfter) : nextCursor };
}
