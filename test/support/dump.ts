import type { DataSource } from 'typeorm';

/** What every request writes, and what the numbering of events writes, which also moves those of tokens. */
const LEFT_OUT = {
  tables: ['rate_limit_windows', 'event_heads', 'token_events'],
  columns: ['last_used_at', 'sequence'],
  rows: /"type": "token\./,
};

/** Every row of every table as text, by table. */
export async function dumpOf(dataSource: DataSource): Promise<Record<string, string[]>> {
  const tables: { name: string }[] = await dataSource.query(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> ALL ($1)`,
    [LEFT_OUT.tables],
  );
  const dump: Record<string, string[]> = {};
  for (const { name } of tables) {
    const rows: { row: string }[] = await dataSource.query(
      `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM ${name} AS t ORDER BY 1`,
      [LEFT_OUT.columns],
    );
    dump[name] = rows.map(({ row }) => row).filter((row) => !LEFT_OUT.rows.test(row));
  }
  return dump;
}
