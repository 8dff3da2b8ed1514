import type { DataSource } from 'typeorm';
import type { Query } from '../../database/query';
import { tableName } from '../../database/tables';
import { USER_COLUMNS } from '../user-columns';
import type { User } from '../user.entity';
import { emailKey } from '../user.fields';
import type { KnownUser } from './batch-rules';

/** The users with these emails, by email key. With `lock` nobody else can change them until the transaction ends. */
export async function findUsers(
  dataSource: DataSource,
  query: Query,
  organizationId: string,
  keys: string[],
  lock = false,
): Promise<Map<string, KnownUser>> {
  if (keys.length === 0) return new Map();
  const table = tableName(dataSource, 'users');
  // Looks up each key in the index. By a join, or = ANY, the planner reads an organization that it does not know as a whole.
  const found = `unnest($2::text[]) AS wanted (email_key), LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $1 AND email_key = wanted.email_key OFFSET 0
  ) AS users`;
  // The order prevents a deadlock. Rows of a host application that refer to a user do not wait for this lock.
  const locked = `${table} WHERE organization_id = $1 AND id = ANY (ARRAY(SELECT id FROM ${found})) ORDER BY id FOR NO KEY UPDATE`;
  const users = (await query(
    `SELECT organization_id AS "organizationId", ${USER_COLUMNS} FROM ${lock ? locked : found}`,
    [organizationId, keys],
  )) as User[];
  return new Map(users.map((stored) => [emailKey(stored.email), { id: stored.id, stored, person: stored }]));
}
