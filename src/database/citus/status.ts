import { addressOf, nodesOf, type Queryable, roleOf } from './cluster';
import type { Placement } from './placements';
import { countRows, misplaced, tablesOf } from './tables';

export interface DistributionStatus {
  nodes: { address: string; role: 'coordinator' | 'worker'; shards: number; answers: boolean }[];
  /** While a node does not answer, rows and bytes are known of plain tables alone. */
  tables: {
    table: string;
    placement: Placement | 'plain';
    shards: number | null;
    rows: number | null;
    bytes: number | null;
  }[];
  /** The tables that `ums distribute` would move. */
  misplaced: string[];
}

/** A node that does not answer in this time is reported as one that does not. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Where everything is. It counts every row, and names the nodes that do not answer. */
export async function distributionStatus(runner: Queryable): Promise<DistributionStatus> {
  const nodes = await nodesOf(runner);
  const tables = await tablesOf(runner);
  const names = tables.map(({ name }) => name);
  const placements: { table: string; group: number; shards: number }[] = await runner.query(
    `SELECT relname AS table, groupid AS group, count(*)::int AS shards
     FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_class ON pg_class.oid = logicalrelid
     WHERE logicalrelid = ANY ($1::regclass[]) GROUP BY 1, 2`,
    [names],
  );
  const shardsOf = (isCounted: (placement: (typeof placements)[number]) => boolean) =>
    placements.filter(isCounted).reduce((sum, { shards }) => sum + shards, 0);

  const status: DistributionStatus = {
    nodes: [],
    tables: [],
    misplaced: misplaced(tables).map(({ name }) => name),
  };
  await runner.query(
    `SELECT set_config('citus.node_connection_timeout', '${ANSWER_TIMEOUT_MS}', true), set_config('client_min_messages', 'error', true)`,
  );
  for (const node of nodes) {
    const [{ answers }] = await runner.query(`SELECT citus_check_connection_to_node($1, $2) AS answers`, [
      node.host,
      node.port,
    ]);
    const shards = shardsOf(({ group }) => group === node.group);
    status.nodes.push({ address: addressOf(node), role: roleOf(node), shards, answers });
  }
  const allAnswer = status.nodes.every(({ answers }) => answers);
  for (const { name, placement } of tables) {
    const isReadable = allAnswer || placement === null;
    status.tables.push({
      table: name,
      placement: placement ?? 'plain',
      shards: placement && (placement === 'distributed' ? shardsOf(({ table }) => table === name) : 1),
      rows: isReadable ? await countRows(runner, name) : null,
      bytes: isReadable ? await bytesOf(runner, name, placement) : null,
    });
  }
  return status;
}

async function bytesOf(runner: Queryable, name: string, placement: Placement | null): Promise<number> {
  const size = placement ? 'citus_total_relation_size' : 'pg_total_relation_size';
  const [{ bytes }] = await runner.query(`SELECT ${size}($1::regclass) AS bytes`, [name]);
  return Number(bytes);
}
