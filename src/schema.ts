import { migrations } from '../migrations';
import type { SchemaOptions } from './database/data-source';
import { FEATURES } from './service.module';

/** The tables of the service, and the migrations and extensions that create them. */
export const schema = {
  entities: FEATURES.flatMap(({ feature }) => feature.entities ?? []),
  migrations,
  extensions: ['pg_trgm', 'btree_gin'],
} satisfies SchemaOptions;
