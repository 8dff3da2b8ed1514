import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { OPERATOR_SHARE } from '../../fairness/owners';
import { PER_TURN } from '../per-turn';
import { retryBroken } from '../retry';
import { tableName } from '../tables';
import { hasCitus } from './cluster';
import { anchorOf, placementsOf } from './placements';

/** Whether the rows of the organizations are distributed over the nodes of a Citus cluster. */
export async function isDistributed(dataSource: DataSource): Promise<boolean> {
  if (!(await hasCitus(dataSource))) return false;
  const [{ isIn }] = await dataSource.query(
    `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)) AS "isIn"`,
    [tableName(dataSource, anchorOf(placementsOf(dataSource)))],
  );
  return isIn;
}

/** Names the node that has the organization's rows; undefined for the operator, who works on all nodes. */
export type NodeOf = (organizationId: string) => string | undefined | Promise<string>;

/** Organizations that move to another node may still be attributed to the old one for this long. */
const KNOWN_MS = 60_000;

/** Finds the nodes of organizations in a distributed database; undefined for any other database. */
export async function nodeOfIn(dataSource: DataSource): Promise<NodeOf | undefined> {
  if (!(await isDistributed(dataSource))) return undefined;
  let known = new Map<string, string>();
  let since = performance.now();
  const loader = new DataLoader<string, string, string>(async (organizationIds) => {
    for (const { id, node } of await findNodes(dataSource, organizationIds)) known.set(id, node);
    return organizationIds.map((id) => known.get(id)!);
  }, PER_TURN);
  return (organizationId) => {
    if (organizationId === OPERATOR_SHARE) return undefined;
    if (performance.now() - since > KNOWN_MS) {
      known = new Map();
      since = performance.now();
    }
    return known.get(organizationId) ?? loader.load(organizationId);
  };
}

/** Asks the coordinator alone, so it answers whatever the nodes do. */
const findNodes = (
  dataSource: DataSource,
  organizationIds: readonly string[],
): Promise<{ id: string; node: string }[]> =>
  retryBroken(() =>
    dataSource.query(
      `SELECT organization.id, 'node ' || groupid AS node
       FROM unnest($1::text[]) AS organization (id)
       JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column($2::regclass, organization.id)`,
      [organizationIds, tableName(dataSource, anchorOf(placementsOf(dataSource)))],
    ),
  );
