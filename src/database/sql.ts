import type { DataSource, EntityManager } from 'typeorm';
import { tableName } from './tables';

/** A statement, or a part of one, with its parameters. */
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
export function sql(template: TemplateStringsArray, ...parts: unknown[]): Sql {
  const strings = [template[0]];
  const values: unknown[] = [];
  parts.forEach((part, i) => {
    if (part instanceof Sql) {
      strings[strings.length - 1] += part.strings[0];
      strings.push(...part.strings.slice(1));
      values.push(...part.values);
    } else {
      values.push(part);
      strings.push('');
    }
    strings[strings.length - 1] += template[i + 1];
  });
  return new Sql(strings, values);
}

/** Text that becomes a part of a statement as it is. It must come from the code, never from a caller. */
export const raw = (text: string): Sql => new Sql([text], []);

/** The fragments with a separator between them. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  const strings = [''];
  const values: unknown[] = [];
  parts.forEach((part, i) => {
    strings[strings.length - 1] += (i > 0 ? separator : '') + part.strings[0];
    for (const text of part.strings.slice(1)) strings.push(text);
    for (const value of part.values) values.push(value);
  });
  return new Sql(strings, values);
}

/** Rows for VALUES, each a list of its values. */
export const rowsOf = (rows: readonly (readonly unknown[])[]): Sql =>
  join(rows.map((values) => new Sql(['(', ...values.slice(1).map(() => ', '), ')'], values)));

/** Runs a statement, and returns its rows. */
export async function query<Row>(manager: EntityManager, statement: Sql): Promise<Row[]> {
  return (await send<Row>(manager, statement)).rows;
}

/** Runs a statement, and returns how many rows it changed. */
export async function execute(manager: EntityManager, statement: Sql): Promise<number> {
  return (await send(manager, statement)).count;
}

/** TypeORM returns the rows of a SELECT or INSERT, but rows and their number of an UPDATE or DELETE. */
async function send<Row>(
  manager: EntityManager,
  { strings, values }: Sql,
): Promise<{ rows: Row[]; count: number }> {
  const parameters: unknown[] = [];
  let text = strings[0];
  values.forEach((value, i) => {
    text += typeof value === 'function' ? tableOf(manager.dataSource, value) : `$${parameters.push(value)}`;
    text += strings[i + 1];
  });
  const result: Row[] | [Row[], number] = await manager.query(text, parameters);
  const isCounted = typeof result[1] === 'number';
  const rows = (isCounted ? result[0] : result) as Row[];
  return { rows, count: isCounted ? (result[1] as number) : rows.length };
}

const tableOf = (dataSource: DataSource, entity: Function) =>
  tableName(dataSource, dataSource.getMetadata(entity).tableName);
