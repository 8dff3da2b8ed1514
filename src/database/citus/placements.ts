import type { DataSource } from 'typeorm';
import { MIGRATIONS_TABLE } from '../tables';

/**
 * The place of a table on a Citus cluster:
 * - `distributed`: in shards by `organization_id`, so that all rows of an organization are on one node
 * - `reference`: whole on every node
 * - `local`: on the coordinator alone
 */
export type Placement = 'distributed' | 'reference' | 'local';

/** The places of tables, by name. */
export type Placements = Readonly<Record<string, Placement>>;

const EXCEPTIONS: Placements = {
  organizations: 'reference',
  [MIGRATIONS_TABLE]: 'reference',
  token_events: 'local', // beside the tokens, which must be revocable whatever node is down
};

/** The table that the other distributed tables are colocated with, and that is distributed before them. */
export const COLOCATED_WITH = 'users';

const ORDER: Placement[] = ['reference', 'distributed', 'local'];

/**
 * The place of every table of the data source: one whose primary key has the organization is distributed. In an order
 * in which they can be moved: what others refer to, or are colocated with, comes first.
 */
export function placementsOf(dataSource: DataSource): Placements {
  const byRule = dataSource.entityMetadatas.map(({ tableName, primaryColumns }): [string, Placement] => {
    const isOfOrganization = primaryColumns.some(({ databaseName }) => databaseName === 'organization_id');
    return [tableName, isOfOrganization ? 'distributed' : 'local'];
  });
  const placements = Object.entries({ ...Object.fromEntries(byRule), ...EXCEPTIONS });
  const rank = ([name, placement]: [string, Placement]) =>
    2 * ORDER.indexOf(placement) + (name === COLOCATED_WITH ? 0 : 1);
  return Object.fromEntries(placements.sort((one, other) => rank(one) - rank(other)));
}
