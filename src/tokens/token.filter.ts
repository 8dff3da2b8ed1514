import { type Sql, sql } from '../database/sql';
import { IN_STATE } from './token.entity';
import type { ListTokensDto } from './tokens.dto';

/** Tokens that people created, not sign-ins or exchanges. A partial index covers them. */
const STANDING = sql`created_by IS NULL AND parent_id IS NULL`;

/** All children end. Without saying so, PostgreSQL might read all that have ended to find those that live. */
const LIVING_CHILD = sql`expires_at > now()`;

/** The conditions of a list, each after an AND. */
export const conditionsOf = ({ state, session, parent }: Partial<ListTokensDto>): Sql => sql`
  ${state ? sql`AND ${IN_STATE[state]}` : sql``}
  ${session === undefined ? sql`` : session ? sql`AND NOT (${STANDING})` : sql`AND ${STANDING}`}
  ${parent ? sql`AND parent_id = ${parent}` : sql``}
  ${parent && state === 'active' ? sql`AND ${LIVING_CHILD}` : sql``}`;
