import type { EntityManager } from 'typeorm';
import { insertSql } from '../../platform/database/columns';
import { query, sql } from '../../platform/database/sql';
import { putSearchTexts } from '../search/user-search.rows';
import { User } from '../user/user.entity';

/** Inserts deleted users with their search texts, and returns them with their new versions and times. */
export async function insertRestored(manager: EntityManager, former: readonly User[]): Promise<User[]> {
  const rows = former.map((user) => ({
    ...user,
    version: user.version + 1,
    updatedAt: sql`greatest(${user.updatedAt}::timestamptz, now())`,
  }));
  const written = await query<Pick<User, 'id' | 'updatedAt'>>(
    manager,
    sql`${insertSql(User, rows)} RETURNING id, updated_at AS "updatedAt"`,
  );
  const updatedAt = new Map(written.map((user) => [user.id, user.updatedAt]));
  const restored = rows.map((user) => ({ ...user, updatedAt: updatedAt.get(user.id)! }));
  await putSearchTexts(
    manager,
    restored.map((after) => ({ after })),
  );
  return restored;
}
