import type { DataSource } from 'typeorm';
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
