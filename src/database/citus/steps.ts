import type { Queryable } from './cluster';
import { anchorOf, type Placements } from './placements';
import type { Table } from './tables';

/** A change that distributes the database, in words and as a statement. */
export interface DistributionStep {
  does: string;
  sql: string;
  /** The rows that it copies. */
  rows?: number;
}

/** The steps that bring these tables to their places, in an order that Citus allows. */
export async function stepsFor(
  runner: Queryable,
  tables: Table[],
  placements: Placements,
  rows: ReadonlyMap<string, number>,
): Promise<DistributionStep[]> {
  const names = tables.map(({ name }) => name);
  const distributed = names.filter((name) => placements[name] === 'distributed');
  const keys = await foreignKeysAmong(runner, distributed);
  return [
    ...keys.map(({ name, table }) => ({
      does: `drop the foreign key ${name} until its tables are moved`,
      sql: `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
    })),
    ...tables
      .filter(({ isUnlogged }) => isUnlogged)
      .map(({ name }) => ({
        does: `make ${name} logged, because shards of unlogged tables cannot be moved`,
        sql: `ALTER TABLE ${name} SET LOGGED`,
      })),
    ...names.map((name) => ({ ...moveOf(name, placements), rows: rows.get(name) })),
    ...keys.map(({ name, table, definition }) => ({
      does: `add the foreign key ${name} again`,
      sql: `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    })),
    ...names
      .filter((name) => rows.get(name))
      .map((name) => ({
        does: `remove the rows of ${name} that were copied`,
        sql: `SELECT truncate_local_data_after_distributing_table('${name}')`,
      })),
  ];
}

function moveOf(name: string, placements: Placements): DistributionStep {
  if (placements[name] === 'reference')
    return { does: `copy ${name} to every node`, sql: `SELECT create_reference_table('${name}')` };
  const anchor = anchorOf(placements);
  const others = name === anchor ? '' : `, colocate_with => '${anchor}'`;
  return {
    does: `distribute ${name} by organization`,
    sql: `SELECT create_distributed_table('${name}', 'organization_id'${others})`,
  };
}

/** Citus takes no foreign key between two tables while only one of them is distributed. */
function foreignKeysAmong(
  runner: Queryable,
  tables: string[],
): Promise<{ name: string; table: string; definition: string }[]> {
  return runner.query(
    `SELECT conname AS name, relname AS table, pg_get_constraintdef(pg_constraint.oid) AS definition
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype = 'f' AND conrelid = ANY ($1::regclass[]) AND confrelid = ANY ($1::regclass[]) ORDER BY conname`,
    [tables],
  );
}
