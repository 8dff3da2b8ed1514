import { migrations } from '../migrations';
import type { SchemaOptions } from './platform/database/data-source';
import { FEATURES } from './service.module';

const DELETION = ['first', undefined, 'last'] as const;

/** The features in the order in which the rows of an organization are deleted. */
const inOrder = [...FEATURES].sort(
  ({ feature: one }, { feature: other }) => DELETION.indexOf(one.deletion) - DELETION.indexOf(other.deletion),
);

/** The tables of the service, and the migrations and extensions that create them. */
export const schema = {
  entities: inOrder.flatMap(({ feature }) => feature.entities ?? []),
  migrations,
  extensions: ['pg_trgm', 'btree_gin'],
} satisfies SchemaOptions;
