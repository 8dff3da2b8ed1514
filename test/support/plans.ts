import { escapeLiteral } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { isOn } from './engine';
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

let prepared = 0;

/**
 * The plans of a statement: the one for its values, which the connections of a host make, and the one for all values,
 * which ours make. A cluster makes the first one wherever it must. What a statement writes is written once.
 */
async function plansOf(dataSource: DataSource, options: string, statement: Statement): Promise<Node[][]> {
  const { sql, values, isPlannedForValues } = statement;
  const explain = `EXPLAIN (${options}FORMAT JSON)`;
  const plans = [];
  if (!isOn.citus && !isPlannedForValues && values.length > 0)
    plans.push(
      await undone(dataSource, async (runner) => {
        const name = `explained_${++prepared}`;
        await runner.query('SET LOCAL plan_cache_mode = force_generic_plan');
        await runner.query(`PREPARE ${name} AS ${sql}`);
        const plan = await runner.query(`${explain} EXECUTE ${name} (${values.map(literal).join(', ')})`);
        await runner.query(`DEALLOCATE ${name}`);
        return plan;
      }),
    );
  plans.push(await dataSource.query(`${explain} ${sql}`, values));
  const withChildren = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(withChildren)];
  return plans.map(([row]) => withChildren(row['QUERY PLAN'][0].Plan));
}

/** Runs work in a transaction, and rolls it back. */
async function undone<Result>(dataSource: DataSource, work: (runner: QueryRunner) => Promise<Result>) {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    return await work(runner);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

/** EXECUTE takes no parameters. */
const literal = (value: unknown): string =>
  value === null || value === undefined ? 'NULL' : escapeLiteral(textOf(value));

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value)) return String(value);
  const items = value.map((item) => (item === null ? 'NULL' : `"${textOf(item).replace(/["\\]/g, '\\$&')}"`));
  return `{${items.join(',')}}`;
}

/** The indexes that each statement goes by, whichever plan it has, and the tables that it reads as a whole. */
export async function accessPathsOf(dataSource: DataSource, statements: Statement[]): Promise<string[][]> {
  const paths: string[][] = [];
  for (const statement of statements) {
    const names = (await plansOf(dataSource, '', statement)).map((nodes) =>
      nodes.flatMap((node) =>
        node['Node Type'] === 'Seq Scan' ? [`all of ${node['Relation Name']}`] : (node['Index Name'] ?? []),
      ),
    );
    paths.push([...new Set(names.flat())].sort());
  }
  return paths;
}

/**
 * How many rows of tables the statements look at, and how many pairs of rows their joins compare in vain, by the worse
 * of their plans.
 */
export async function rowsReadBy(dataSource: DataSource, statements: Statement[]): Promise<number> {
  const rowsOf = (node: Node) =>
    (node['Actual Loops'] ?? 0) *
    ((node['Rows Removed by Join Filter'] ?? 0) +
      (node['Relation Name']
        ? (node['Actual Rows'] ?? 0) +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)
        : 0));
  let rows = 0;
  for (const statement of statements) {
    const plans = await plansOf(dataSource, 'ANALYZE, ', statement);
    rows += Math.max(...plans.map((nodes) => nodes.reduce((sum, node) => sum + rowsOf(node), 0)));
  }
  return rows;
}

/** How many pages of tables and indexes the statements look at, with the worse of their plans. */
export async function pagesReadBy(dataSource: DataSource, statements: Statement[]): Promise<number> {
  let pages = 0;
  for (const statement of statements) {
    const plans = await plansOf(dataSource, 'ANALYZE, BUFFERS, ', statement);
    const pagesOf = ([root]: Node[]) => (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0);
    pages += Math.max(...plans.map(pagesOf));
  }
  return pages;
}

/** How many pages a statement looks at with the plan that our connections made before `meanwhile`, and have kept. */
export async function pagesReadAfter(
  dataSource: DataSource,
  { sql, values, isPlannedForValues }: Statement,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const runner = dataSource.createQueryRunner();
  const execute = `EXECUTE planned_before (${values.map(literal).join(', ')})`;
  try {
    await runner.query(
      `SET plan_cache_mode = ${isPlannedForValues ? 'force_custom_plan' : 'force_generic_plan'}`,
    );
    await runner.query(`PREPARE planned_before AS ${sql}`);
    await runner.query(execute);
    await meanwhile();
    const [row] = await runner.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${execute}`);
    const { Plan: root } = row['QUERY PLAN'][0];
    return root['Shared Hit Blocks'] + root['Shared Read Blocks'];
  } finally {
    await runner.query('DEALLOCATE planned_before');
    await runner.query('RESET plan_cache_mode');
    await runner.release();
  }
}
