import type { DataSource } from 'typeorm';

/** A table or function as SQL has to name it on this data source: qualified where ours are in a schema of their own. */
export function tableName({ options }: DataSource, table: string): string {
  const { schema } = options as { schema?: string };
  return schema ? `${quoted(schema)}.${table}` : table;
}

export const quoted = (identifier: string) => `"${identifier.replaceAll('"', '""')}"`;
