import type { Queryable } from './cluster';
import { PLACEMENTS } from './placements';
import type { Table } from './tables';

/** A change that distributes the database, in words and as a statement. */
export interface Step {
  does: string;
  sql: string;
  /** The rows that it copies. */
  rows?: number;
}

/** The steps that bring these tables to their places, in an order that Citus allows. */
export async function stepsFor(
  runner: Queryable,
  tables: Table[],
  rows: ReadonlyMap<string, number>,
): Promise<Step[]> {
  const names = tables.map(({ name }) => name);
  const distributed = names.filter((name) => PLACEMENTS[name] === 'distributed');
  const keys = await foreignKeysAmong(runner, distributed);
  return [
    ...(await formerTriggers(runner, distributed)).map(({ name, table }) => ({
      does: `drop the trigger ${name} of ${table}, which serves a former release`,
      sql: `DROP TRIGGER ${name} ON ${table}`,
    })),
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
    ...(await keysWithoutOrganization(runner, distributed)).map(({ name, table, columns }) => ({
      does: `make the organization a part of the primary key of ${table}`,
      sql: `ALTER TABLE ${table} DROP CONSTRAINT ${name}, ADD CONSTRAINT ${name} PRIMARY KEY (organization_id, ${columns})`,
    })),
    ...names.map((name) => ({ ...moveOf(name), rows: rows.get(name) })),
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

function moveOf(name: string): Step {
  if (PLACEMENTS[name] === 'reference')
    return { does: `copy ${name} to every node`, sql: `SELECT create_reference_table('${name}')` };
  const others = name === 'users' ? '' : `, colocate_with => 'users'`;
  return {
    does: `distribute ${name} by organization`,
    sql: `SELECT create_distributed_table('${name}', 'organization_id'${others})`,
  };
}

/** A former release never runs on a cluster, which has no triggers. */
function formerTriggers(runner: Queryable, tables: string[]): Promise<{ name: string; table: string }[]> {
  return runner.query(
    `SELECT tgname AS name, relname AS table FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE tgrelid = ANY ($1::regclass[]) AND tgname LIKE 'ums\\_former\\_release\\_%' ORDER BY tgname`,
    [tables],
  );
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

/** Primary keys that the former release needs. A node can check a key only within an organization. */
function keysWithoutOrganization(
  runner: Queryable,
  tables: string[],
): Promise<{ name: string; table: string; columns: string }[]> {
  return runner.query(
    `SELECT conname AS name, relname AS table, string_agg(attname, ', ' ORDER BY array_position(conkey, attnum)) AS columns
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
     WHERE contype = 'p' AND conrelid = ANY ($1::regclass[])
     GROUP BY conname, relname HAVING bool_and(attname <> 'organization_id') ORDER BY conname`,
    [tables],
  );
}
