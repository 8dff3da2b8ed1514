import { type Queryable, hasCitus, nodesOf } from './cluster';
import { PLACEMENTS, type Placement } from './placements';

/** A change that distributes the database, in words and as statement. */
export interface Step {
  does: string;
  sql: string;
  /** What the step moves; absent if it moves nothing. */
  rows?: number;
}

interface Table {
  name: string;
  /** Null for a plain table, of which Citus knows nothing. */
  placement: Placement | null;
  /** By which it is distributed. */
  column: string | null;
  isUnlogged: boolean;
}

interface Options {
  /** Only returns the steps. */
  dryRun?: boolean;
  /** Called before each step. */
  onStep?: (step: Step, index: number, steps: Step[]) => void;
}

/**
 * Distributes the tables that are not in their place yet, and returns the steps that did. It runs in the caller's transaction, so
 * it happens as a whole or not at all, and nobody sees a part of it.
 */
export async function distributeTables(runner: Queryable, { dryRun, onStep }: Options = {}): Promise<Step[]> {
  await nodesOf(runner);
  const tables = await tablesOf(runner);
  refuseOtherPlaces(tables);
  const moved = tables.filter(({ name, placement }) => (placement ?? 'local') !== PLACEMENTS[name]);
  if (moved.length === 0) return [];
  const names = moved.map(({ name }) => name);
  // Each shard of a table with a foreign key to a reference table must be written on the connection that wrote the other.
  if (!dryRun)
    for (const sql of [
      `SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)`,
      `LOCK TABLE ${names.join(', ')}`,
    ])
      await runner.query(sql);
  const before = await countRows(runner, names);
  const steps = await stepsFor(runner, moved, before);
  if (dryRun) return steps;
  for (const [i, step] of steps.entries()) {
    onStep?.(step, i, steps);
    await runner.query(step.sql);
  }
  const after = await countRows(runner, names);
  const differing = names.filter((name) => before.get(name) !== after.get(name));
  if (differing.length > 0)
    throw new Error(`Nothing was changed, because rows would be missing of: ${differing.join(', ')}.`);
  for (const name of names) await runner.query(`SELECT truncate_local_data_after_distributing_table('${name}')`);
  return steps;
}

/** On a distributed database: distributes what a migration has added, in its transaction. */
export async function distributeAdded(runner: Queryable): Promise<void> {
  if (!(await hasCitus(runner))) return;
  const users = (await tablesOf(runner)).find(({ name }) => name === 'users');
  if (users?.placement === 'distributed') await distributeTables(runner);
}

/** The tables that exist, in the order of their foreign keys. */
export function tablesOf(runner: Queryable, names = Object.keys(PLACEMENTS)): Promise<Table[]> {
  return runner.query(
    `SELECT name, relpersistence = 'u' AS "isUnlogged",
       CASE WHEN partmethod = 'h' THEN 'distributed' WHEN repmodel = 't' THEN 'reference' WHEN repmodel IS NOT NULL THEN 'local' END AS placement,
       column_to_column_name(logicalrelid, partkey) AS column
     FROM unnest($1::text[]) WITH ORDINALITY AS known (name, place)
     JOIN pg_class ON pg_class.oid = to_regclass(name) LEFT JOIN pg_dist_partition ON logicalrelid = pg_class.oid
     ORDER BY place`,
    [names],
  );
}

/** A table that somebody has distributed in another way is not taken from there without asking. */
function refuseOtherPlaces(tables: Table[]): void {
  for (const { name, placement, column } of tables) {
    const other =
      placement !== null &&
      placement !== 'local' &&
      (placement !== PLACEMENTS[name] || (column ?? 'organization_id') !== 'organization_id' && name !== 'rate_limit_windows');
    if (other)
      throw new Error(
        `${name} is ${placement === 'reference' ? 'a reference table' : `distributed by ${column}`}, and must be ${PLACEMENTS[name]}. Run: SELECT undistribute_table('${name}'); Then run: ums distribute`,
      );
  }
}

async function countRows(runner: Queryable, names: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const [{ rows }] = await runner.query(`SELECT count(*) AS rows FROM ${name}`);
    counts.set(name, Number(rows));
  }
  return counts;
}

async function stepsFor(runner: Queryable, moved: Table[], rows: Map<string, number>): Promise<Step[]> {
  const distributed = moved.map(({ name }) => name).filter((name) => PLACEMENTS[name] === 'distributed');
  const triggers: { name: string; table: string }[] = await runner.query(
    `SELECT tgname AS name, relname AS table FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE tgrelid = ANY ($1::regclass[]) AND tgname LIKE 'ums\\_former\\_release\\_%' ORDER BY tgname`,
    [distributed],
  );
  const keys: { name: string; table: string; definition: string }[] = await runner.query(
    `SELECT conname AS name, relname AS table, pg_get_constraintdef(pg_constraint.oid) AS definition
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype = 'f' AND conrelid = ANY ($1::regclass[]) AND confrelid = ANY ($1::regclass[]) ORDER BY conname`,
    [distributed],
  );
  return [
    ...triggers.map(({ name, table }) => ({
      does: `drop the trigger ${name} of ${table}, which serves a former release`,
      sql: `DROP TRIGGER ${name} ON ${table}`,
    })),
    ...keys.map(({ name, table }) => ({
      does: `drop the foreign key ${name} for the time of the move`,
      sql: `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
    })),
    ...moved
      .filter(({ isUnlogged }) => isUnlogged)
      .map(({ name }) => ({ does: `make ${name} logged`, sql: `ALTER TABLE ${name} SET LOGGED` })),
    ...moved.map(({ name }) => ({ ...move(name), rows: rows.get(name) })),
    ...keys.map(({ name, table, definition }) => ({
      does: `add the foreign key ${name} again`,
      sql: `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    })),
  ];
}

function move(name: string): Step {
  if (PLACEMENTS[name] === 'reference')
    return { does: `copy ${name} to every node`, sql: `SELECT create_reference_table('${name}')` };
  if (name === 'rate_limit_windows')
    return { does: 'x', sql: `SELECT create_distributed_table('${name}', 'token_id', colocate_with => 'none')` };
  const others = name === 'users' ? '' : `, colocate_with => 'users'`;
  return {
    does: `distribute ${name} by organization_id`,
    sql: `SELECT create_distributed_table('${name}', 'organization_id'${others})`,
  };
}
