import { readConfig } from './entry/process/config';
import { closedDataSource } from './platform/database/data-source';
import { schema } from './schema';

/**
 * For TypeORM's own command line: `npx typeorm migration:show -d dist/src/data-source.js`. Run migrations with `ums
 * migrate`, which takes a lock, so that processes that start together migrate once.
 */
export default closedDataSource(readConfig(process.env), schema);
