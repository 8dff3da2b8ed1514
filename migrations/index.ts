import { CreateTables1763600000000 } from './1763600000000-create-tables';

/** Every migration, oldest first. */
export const migrations = [CreateTables1763600000000];
