import type { DataSource } from 'typeorm';

import { ownStatementsOf, type Statement } from './statements';

interface Node {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Node[];
}

/** The SELECT statements that `run` sends, by calls in this process, without the one that sets its timeouts. */
export async function selectsOf(dataSource: DataSource, run: () => Promise<unknown>): Promise<Statement[]> {
  const selects = (await ownStatementsOf(dataSource, run)).filter(
    ({ sql }) => /^\s*(SELECT|WITH)/.test(sql) && !sql.includes('set_config'),
  );
  expect(selects).not.toEqual([]);
  return selects;
}

async function nodesOf(
  connection: Pick<DataSource, 'query'>,
  options: string,
  { sql, values }: Statement,
): Promise<Node[]> {
  const [row] = await connection.query(`EXPLAIN (${options}FORMAT JSON) ${sql}`, values);
  const [{ Plan: plan }] = row['QUERY PLAN'];
  const withChildren = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(withChildren)];
  return withChildren(plan);
}

/** The indexes that each statement goes by, and the tables that it reads as a whole. */
export async function accessPathsOf(dataSource: DataSource, statements: Statement[]): Promise<string[][]> {
  const paths: string[][] = [];
  for (const statement of statements) {
    const nodes = await nodesOf(dataSource, '', statement);
    const names = nodes.flatMap((node) =>
      node['Node Type'] === 'Seq Scan' ? [`all of ${node['Relation Name']}`] : (node['Index Name'] ?? []),
    );
    paths.push([...new Set(names)].sort());
  }
  return paths;
}

/** How many rows of tables the statements look at, and how many pairs of rows their joins compare in vain. */
export async function rowsReadBy(dataSource: DataSource, statements: Statement[]): Promise<number> {
  let rows = 0;
  for (const statement of statements)
    for (const node of await nodesOf(dataSource, 'ANALYZE, ', statement))
      rows +=
        (node['Actual Loops'] ?? 0) *
        ((node['Rows Removed by Join Filter'] ?? 0) +
          (node['Relation Name']
            ? (node['Actual Rows'] ?? 0) +
              (node['Rows Removed by Filter'] ?? 0) +
              (node['Rows Removed by Index Recheck'] ?? 0)
            : 0));
  return rows;
}

/** How many pages of tables and indexes the statements look at. */
export async function pagesReadBy(dataSource: DataSource, statements: Statement[]): Promise<number> {
  let pages = 0;
  for (const statement of statements) {
    const [root] = await nodesOf(dataSource, 'ANALYZE, BUFFERS, ', statement);
    pages += (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0);
  }
  return pages;
}
