import type { EntityManager } from 'typeorm';
import { execute, query, sql } from '../database/sql';
import { Token } from './token.entity';

/** The life of a token that another one is exchanged for, unless that one ends sooner. */
export const CHILD_HOURS = 1;

/** How many children of a token may live at once. */
export const MAX_CHILDREN = 1_000;

/** How many children of a token live. */
export async function countChildren(manager: EntityManager, parentId: string): Promise<number> {
  const [{ count }] = await query<{ count: number }>(
    manager,
    sql`SELECT count(*)::integer AS count FROM ${Token}
        WHERE parent_id = ${parentId} AND revoked_at IS NULL AND expires_at > now()`,
  );
  return count;
}

/** Revokes the children of a token that is revoked in the same transaction, which keeps others from being made. */
export const revokeChildren = (manager: EntityManager, parentId: string): Promise<number> =>
  execute(
    manager,
    sql`UPDATE ${Token} SET revoked_at = now()
        WHERE parent_id = ${parentId} AND revoked_at IS NULL AND expires_at > now()`,
  );
