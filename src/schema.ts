import { migrations } from '../migrations';
import { Organization } from './auth/organization.entity';
import type { Schema } from './database/data-source';
import { Token } from './tokens/token.entity';
import { User } from './users/user.entity';

/** The tables of the service, and the migrations and extensions that create them. */
export const schema = {
  entities: [Organization, User, Token],
  migrations,
  extensions: ['pg_trgm', 'btree_gin'],
} satisfies Schema;
