import type { DataSource } from 'typeorm';

/** The table with the names of the migrations that have run. */
export const MIGRATIONS_TABLE = 'ums_migrations';

/** The name of a table in SQL on this data source, qualified if the service has a schema of its own. */
export function tableName({ options }: DataSource, table: string): string {
  const { schema } = options as { schema?: string };
  return schema ? `${quoted(schema)}.${table}` : table;
}

export const quoted = (identifier: string) => `"${identifier.replaceAll('"', '""')}"`;
