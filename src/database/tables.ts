import type { DataSource } from 'typeorm';

/** The names of the migrations that the database has. */
export const MIGRATIONS_TABLE = 'ums_migrations';

/** The name of a table or function in SQL on this data source, qualified if the service has a schema of its own. */
export function tableName({ options }: DataSource, table: string): string {
  const { schema } = options as { schema?: string };
  return schema ? `${quoted(schema)}.${table}` : table;
}

export const quoted = (identifier: string) => `"${identifier.replaceAll('"', '""')}"`;

export const MIGRATIONS_TABLE = 'ums_migrations';
