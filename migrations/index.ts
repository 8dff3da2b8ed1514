import { CreateTables1763600000000 } from './1763600000000-create-tables';
import { CreateSearch1763600000001 } from './1763600000001-create-search';
import { CreateSortIn1763600000002 } from './1763600000002-create-sort-in';

/** Every migration, oldest first. */
export const migrations = [CreateTables1763600000000, CreateSearch1763600000001, CreateSortIn1763600000002];
