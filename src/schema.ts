import { migrations } from '../migrations';
import { Organization } from './auth/organization.entity';
import type { Schema } from './database/data-source';
import { Token } from './tokens/token.entity';
import { User } from './users/user.entity';

/** The tables of the service, and the migrations that create them. */
export const schema = { entities: [Organization, User, Token], migrations } satisfies Schema;
