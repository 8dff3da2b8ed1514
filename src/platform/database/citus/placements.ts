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

/** As `distributed`, but before the other tables, which are colocated with it. There is one. */
type Anchor = 'anchor';

const ORDER: (Placement | Anchor)[] = ['reference', 'anchor', 'distributed', 'local'];

const PLACE = Symbol('place on a cluster');

/** The table of an entity is in this place, whatever its primary key says. */
export const OnCluster =
  (place: Exclude<Placement, 'distributed'> | Anchor): ClassDecorator =>
  (entity) =>
    Reflect.defineMetadata(PLACE, place, entity);

/**
 * The place of every table of the data source: one whose primary key has the organization is distributed, and any other
 * is local, unless its entity says otherwise. In an order in which they can be moved: what others refer to, or are
 * colocated with, comes first.
 */
export function placementsOf(dataSource: DataSource): Placements {
  const places = dataSource.entityMetadatas.map(({ tableName, target, primaryColumns }) => {
    const isOfOrganization = primaryColumns.some(({ databaseName }) => databaseName === 'organization_id');
    const declared: Placement | Anchor | undefined = Reflect.getMetadata(PLACE, Object(target));
    return { name: tableName, place: declared ?? (isOfOrganization ? 'distributed' : 'local') };
  });
  places.push({ name: MIGRATIONS_TABLE, place: 'reference' });
  places.sort((one, other) => ORDER.indexOf(one.place) - ORDER.indexOf(other.place));
  return Object.fromEntries(
    places.map(({ name, place }) => [name, place === 'anchor' ? 'distributed' : place]),
  );
}

/** The table with which the other distributed ones are colocated. */
export const anchorOf = (placements: Placements): string =>
  Object.keys(placements).find((name) => placements[name] === 'distributed')!;
