import type { DataSource } from 'typeorm';
import type { Query } from '../../database/query';
import { tableName } from '../../database/tables';

/** Those of the email keys that users of the organization have. */
export async function takenEmails(
  dataSource: DataSource,
  query: Query,
  organizationId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  // Looks up each key in the index, whatever the planner believes of the organization.
  const taken = (await query(
    `SELECT wanted.email_key AS key FROM unnest($2::text[]) AS wanted (email_key), LATERAL (
       SELECT FROM ${tableName(dataSource, 'users')} WHERE organization_id = $1 AND email_key = wanted.email_key OFFSET 0
     ) AS users`,
    [organizationId, keys],
  )) as { key: string }[];
  return new Set(taken.map(({ key }) => key));
}
