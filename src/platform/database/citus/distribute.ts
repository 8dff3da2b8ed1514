import { addressOf, hasCitus, nodesOf, type Queryable } from './cluster';
import { anchorOf, type Placements } from './placements';
import { countRows, type DistributionStep, misplaced, stepsFor, type Table, tablesOf } from './steps';

export interface Distribution {
  /** The nodes that get the rows of organizations. */
  nodes: string[];
  steps: DistributionStep[];
}

export interface DistributeOptions {
  /** Changes nothing. */
  dryRun?: boolean;
  /** Called before each step. */
  onStep?: (step: DistributionStep, steps: DistributionStep[]) => void;
}

/**
 * Brings each table to its place, and returns the steps: none if all are there. It runs in the caller's transaction, so
 * it happens as a whole or not at all, and no request sees a part of it.
 */
export async function distributeTables(
  runner: Queryable,
  placements: Placements,
  { dryRun, onStep }: DistributeOptions = {},
): Promise<Distribution> {
  const nodes = (await nodesOf(runner)).filter(({ hasShards }) => hasShards).map(addressOf);
  const tables = await tablesOf(runner, placements);
  refuseOtherPlaces(tables, placements);
  const moved = misplaced(tables, placements);
  const steps = moved.length > 0 ? await movesOf(runner, moved, placements, dryRun) : [];
  if (dryRun) return { nodes, steps };
  for (const step of steps) {
    onStep?.(step, steps);
    await runner.query(step.sql);
  }
  return { nodes, steps };
}

async function movesOf(
  runner: Queryable,
  moved: Table[],
  placements: Placements,
  dryRun: boolean | undefined,
): Promise<DistributionStep[]> {
  const names = moved.map(({ name }) => name);
  await refuseForeignKeys(
    runner,
    names.filter((name) => placements[name] === 'distributed'),
  );
  if (!dryRun) {
    // Fails now, rather than after an hour of copying, if a transaction holds a lock that this would never get.
    await runner.query(`LOCK TABLE ${names.join(', ')}`);
    // Otherwise Citus refuses to write tables and those that they refer to on several connections.
    await runner.query(`SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)`);
  }
  const rows = new Map<string, number>();
  for (const name of names) rows.set(name, await countRows(runner, name));
  return stepsFor(runner, moved, placements, rows);
}

/** Distributes what a migration has added to a distributed database, in its transaction. */
export async function distributeAdded(runner: Queryable, placements: Placements): Promise<void> {
  if (!(await hasCitus(runner))) return;
  const first = (await tablesOf(runner, placements)).find(({ name }) => name === anchorOf(placements));
  if (first?.placement === 'distributed') await distributeTables(runner, placements);
}

/** If somebody has distributed a table differently, only they know whether it may be moved. */
function refuseOtherPlaces(tables: Table[], placements: Placements): void {
  for (const { name, placement, column } of tables) {
    if (placement === null || placement === 'local') continue;
    const isElsewhere = placement !== placements[name] || (column !== null && column !== 'organization_id');
    if (!isElsewhere) continue;
    const is = column === null ? 'a reference table' : `distributed by ${column}`;
    throw new Error(
      `${name} is ${is}, which this release cannot use. Run: SELECT undistribute_table('${name}', cascade_via_foreign_keys => true); Then run: ums distribute`,
    );
  }
}

/** Tables of a host application stay on the coordinator, which cannot check references to distributed tables. */
async function refuseForeignKeys(runner: Queryable, names: string[]): Promise<void> {
  const [key] = await runner.query(
    `SELECT conname AS name, conrelid::regclass AS from, confrelid::regclass AS to FROM pg_constraint
     WHERE contype = 'f' AND confrelid = ANY ($1::regclass[]) AND conrelid <> ALL ($1::regclass[]) LIMIT 1`,
    [names],
  );
  if (!key) return;
  throw new Error(
    `The foreign key ${key.name} of ${key.from} refers to ${key.to}, which a cluster cannot check. Run: ALTER TABLE ${key.from} DROP CONSTRAINT ${key.name}; Then run: ums distribute`,
  );
}
