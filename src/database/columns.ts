import { getMetadataArgsStorage } from 'typeorm';
import { raw } from './sql';

/** JSON of at most so many bytes is short: a page of it is small, and nearly all JSON is. */
const MAX_SHORT_BYTES = 1024;

/** A JSON column as text, or NULL if it is not short. */
export const shortText = (column: string): string =>
  `CASE WHEN octet_length(${column}::text) <= ${MAX_SHORT_BYTES} THEN ${column}::text END`;

const isoTime = (name: string) => `to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Columns of an entity in SQL: those of the given properties, in their order, or all that TypeORM selects by default.
 */
export function columnsOf<Entity extends object>(
  entity: new () => Entity,
  properties?: readonly (keyof Entity & string)[],
) {
  const ofEntity = getMetadataArgsStorage().columns.filter(
    ({ target }) => target === entity || entity.prototype instanceof (target as Function),
  );
  const byDefault = ofEntity.filter(
    ({ mode, options }) => mode !== 'virtual-property' && options.select !== false,
  );
  const columns = (properties ?? byDefault.map(({ propertyName }) => propertyName)).map((property, i) => {
    const { options } = ofEntity.find(({ propertyName }) => propertyName === property)!;
    const key = `${i === 0 ? '{' : ','}"${property}":`; // in JSON
    const [isJson, isTime] = ['json', 'timestamptz'].map((type) => options.type === type);
    return { ...options, property, key, name: options.name ?? property, isJson, isTime };
  });
  type Column = (typeof columns)[number];
  const list = (write: (column: Column) => string) => raw(columns.map(write).join(', '));
  const plain = ({ name, property }: Column) => (name === property ? name : `${name} AS "${property}"`);
  const jsonAsText = (column: Column) =>
    column.isJson ? `${column.name}::text AS "${column.property}"` : plain(column);
  const text = (writeJson: (name: string) => string) => (column: Column) => {
    if (!column.isTime && !column.isJson) return plain(column);
    return `${(column.isTime ? isoTime : writeJson)(column.name)} AS "${column.property}"`;
  };
  return {
    /** In a SELECT or RETURNING, under the names of the properties. */
    select: list(plain),
    /** The same with JSON as text, which takes up to twenty times as much memory when it is parsed. */
    selectJsonAsText: list(jsonAsText),
    /** The same with JSON and times as the text that a response contains. */
    selectText: list(text((name) => `${name}::text`)),
    /** The same without JSON that is not short, so that a page has a bound. */
    selectShortText: list(text(shortText)),
    /** A row of `selectText` as JSON. */
    toJson: (row: Record<string, unknown>): string => {
      let text = '';
      for (const { property, key, isJson, isTime } of columns) {
        const value = row[property];
        // A time needs no look for characters to escape: a page of 50 users takes 24 µs instead of 30.
        text += key + (isJson ? value : isTime && value !== null ? `"${value}"` : JSON.stringify(value));
      }
      return `${text}}`;
    },
    /** In an INSERT, before VALUES. */
    names: list(({ name }) => name),
    /** The values of a row in the same order. */
    valuesOf: (row: Partial<Entity>): unknown[] =>
      columns.map(({ property, isJson }) => {
        const value = row[property as keyof Entity];
        return isJson && value !== null ? JSON.stringify(value) : value;
      }),
    /** In ON CONFLICT … DO UPDATE SET: all but the primary key. */
    excluded: raw(
      columns.flatMap(({ name, primary }) => (primary ? [] : `${name} = excluded.${name}`)).join(', '),
    ),
  };
}
