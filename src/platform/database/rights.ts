import type { DataSource } from 'typeorm';
import { placementsOf } from './citus/placements';
import { retryBroken } from './retry';
import { MIGRATIONS_TABLE, tableName } from './tables';

const TABLE_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** The sequences that give columns their values. */
const sequencesOf = ({ entityMetadatas }: DataSource): string[] => {
  const defaults = entityMetadatas.flatMap(({ columns }) => columns.map((column) => column.default));
  const named = defaults.flatMap(
    (value) => (typeof value === 'function' ? value().match(/(?<=^nextval\(')\w+/) : null) ?? [],
  );
  return [...new Set(named)];
};

/** The rights that the service uses: with fewer, some requests fail. */
function neededOn(dataSource: DataSource): { names: string[]; rights: string[] } {
  const tables = Object.keys(placementsOf(dataSource));
  const needed = tables.flatMap((name) =>
    (name === MIGRATIONS_TABLE ? ['SELECT'] : TABLE_RIGHTS).map((right) => ({ name, right })),
  );
  needed.push(...sequencesOf(dataSource).map((name) => ({ name, right: 'USAGE' })));
  return { names: needed.map(({ name }) => name), rights: needed.map(({ right }) => right) };
}

/** A right that the service's role lacks on a table or sequence that exists, such as `SELECT on events`. */
export async function missingRight(dataSource: DataSource): Promise<string | undefined> {
  const { names, rights } = neededOn(dataSource);
  const [missing]: { right: string }[] = await retryBroken(() =>
    dataSource.query(
      `SELECT "right" || ' on ' || name AS "right"
       FROM unnest($1::text[], $2::text[], $3::text[]) AS needed (name, "right", place)
       JOIN pg_class ON pg_class.oid = to_regclass(place)
       WHERE NOT CASE relkind WHEN 'S' THEN has_sequence_privilege(pg_class.oid, "right")
                              ELSE has_table_privilege(pg_class.oid, "right") END
       LIMIT 1`,
      [names, rights, names.map((name) => tableName(dataSource, name))],
    ),
  );
  return missing?.right;
}
