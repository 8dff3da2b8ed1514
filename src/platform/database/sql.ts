import type { DataSource, EntityManager } from 'typeorm';
import { withNext } from './connections/statement-batch';
import { tableName } from './tables';

/** A statement, or a part of one, with its values. */
export class Sql {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {}
}

/**
 * SQL whose values are sent as parameters. An entity class stands for its table, and a fragment for its text:
 *
 *     sql`SELECT id FROM ${User} WHERE organization_id = ${organizationId} AND ${condition}`
 */
export const sql = (strings: TemplateStringsArray, ...values: unknown[]): Sql => new Sql(strings, values);

/** Text that becomes a part of a statement as it is. It must come from the code, never from a caller. */
export const raw = (text: string): Sql => new Sql([text], []);

/** The values, or fragments, with a separator between them. */
export const join = (parts: readonly unknown[], separator = ', '): Sql =>
  new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);

/**
 * `= ANY` of values, by an index. PostgreSQL sees how many the array has, and assumes ten for the plan for all values,
 * so a frequent statement with one value would be planned each time. This hides it.
 */
export const anyOf = (values: readonly unknown[], type: 'text' | 'bytea'): Sql =>
  sql`ANY (ARRAY(SELECT unnest(${values}::${raw(type)}[])))`;

/** Rows for VALUES, each a list of its values. */
export const rowsOf = (rows: readonly (readonly unknown[])[]): Sql =>
  join(rows.map((values) => sql`(${join(values)})`));

/** The values in parts of this size, for a statement each. */
export function* chunksOf<Value>(values: readonly Value[], size: number): Generator<Value[]> {
  for (let i = 0; i < values.length; i += size) yield values.slice(i, i + size);
}

/** The values in parts of this size in all, where a value may have more alone, for a statement each. */
export function partsOf<Value>(
  values: readonly Value[],
  sizeOf: (value: Value) => number,
  maxSize: number,
): Value[][] {
  const parts: Value[][] = [];
  let left = 0;
  for (const value of values) {
    const size = sizeOf(value);
    if (parts.length === 0 || size > left) {
      parts.push([]);
      left = maxSize;
    }
    left -= size;
    parts.at(-1)!.push(value);
  }
  return parts;
}

/** Runs a statement, and returns its rows. */
export async function query<Row>(manager: EntityManager, statement: Sql): Promise<Row[]> {
  return (await send<Row>(manager, statement)).rows;
}

/** Runs a statement, and returns how many rows it changed. */
export async function execute(manager: EntityManager, statement: Sql): Promise<number> {
  return (await send(manager, statement)).count;
}

/**
 * Runs a statement of a transaction whose answer nobody needs: our connections send it with the next one, at the latest
 * with the COMMIT, which fails if it fails.
 */
export async function executeWithNext(manager: EntityManager, statement: Sql): Promise<void> {
  const parameters: unknown[] = [];
  await manager.query(textOf(statement, manager.dataSource, parameters), withNext(parameters));
}

/** TypeORM returns the rows of a SELECT or INSERT, but rows and their number of an UPDATE or DELETE. */
async function send<Row>(manager: EntityManager, statement: Sql): Promise<{ rows: Row[]; count: number }> {
  const parameters: unknown[] = [];
  const text = textOf(statement, manager.dataSource, parameters);
  const result: Row[] | [Row[], number] = await manager.query(text, parameters);
  const isCounted = typeof result[1] === 'number';
  const rows = (isCounted ? result[0] : result) as Row[];
  return { rows, count: isCounted ? (result[1] as number) : rows.length };
}

/** The text of a statement, whose values are added to the parameters. */
function textOf({ strings, values }: Sql, dataSource: DataSource, parameters: unknown[]): string {
  let text = strings[0];
  values.forEach((value, i) => {
    if (value instanceof Sql) text += textOf(value, dataSource, parameters);
    else if (typeof value === 'function')
      text += tableName(dataSource, dataSource.getMetadata(value).tableName);
    else text += `$${parameters.push(value)}`;
    text += strings[i + 1];
  });
  return text;
}
