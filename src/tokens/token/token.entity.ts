import { Column, Entity, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import { columnsOf } from '../../platform/database/columns';
import { type Sql, sql } from '../../platform/database/sql';
import type { Scope } from '../../platform/http/scopes';
import type { TokenCreatorView } from './token.view';
import type { ListTokensDto, TokenState } from './token.dto';

@Entity('tokens')
@Index(['organizationId', 'createdAt', 'id'])
export class Token {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @Column({ type: 'text' })
  name: string;

  /** SHA-256 of the value, which itself is not stored. */
  @Column({ type: 'bytea', select: false })
  hash: Buffer;

  /** The first 8 and last 4 characters of the value. */
  @Column({ type: 'text' })
  hint: string;

  @Column({ type: 'text', array: true })
  scopes: Scope[];

  /** The duration given at creation, such as `90d`. */
  @Column({ name: 'expires_in', type: 'text', nullable: true })
  expiresIn: string | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;

  /** The id of the token that this one replaces. */
  @Column({ name: 'rotated_from', type: 'text', nullable: true })
  rotatedFrom: string | null;

  /** The requests that it may make in a minute; null if the limit of the service applies. */
  @Column({ name: 'rate_limit', type: 'integer', nullable: true })
  rateLimit: number | null;

  /** Where requests may come from, in canonical form; null if from anywhere. */
  @Column({ name: 'allowed_networks', type: 'text', array: true, nullable: true })
  allowedNetworks: string[] | null;

  @Column({ name: 'created_by', type: 'json', nullable: true })
  createdBy: TokenCreatorView | null;

  /** The token whose value was exchanged for this one. It ends with that one, and is revoked with it. */
  @Column({ name: 'parent_id', type: 'text', nullable: true })
  parentId: string | null;

  /** In whose window its requests count, if it was made by an exchange: its parent's, or its subject's. */
  @Column({ name: 'window_id', type: 'text', nullable: true })
  windowId: string | null;

  /** The days before its end for which an event was recorded last, 0 for the end itself. */
  @Column({ name: 'warned_days', type: 'integer', nullable: true, select: false })
  warnedDays: number | null;

  /** Whether the database's clock has passed `expiresAt`. */
  @VirtualColumn({ type: 'boolean', query: (token) => `coalesce(${token}.expires_at <= now(), false)` })
  expired: boolean;
}

/** The columns of a token in a SELECT or RETURNING, under the names of the entity. */
export const TOKEN_COLUMNS = sql`${columnsOf(Token).select}, coalesce(expires_at <= now(), false) AS expired`;

/** The condition for each state of a token. */
export const IN_STATE: Record<TokenState, Sql> = {
  revoked: sql`revoked_at IS NOT NULL`,
  expired: sql`revoked_at IS NULL AND expires_at <= now()`,
  active: sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

/** Tokens that people created, not sign-ins or exchanges. A partial index covers them. */
const STANDING = sql`created_by IS NULL AND parent_id IS NULL`;

/** All children end. Without saying so, PostgreSQL might read all that have ended to find those that live. */
const LIVING_CHILD = sql`expires_at > now()`;

/** The conditions of a list of tokens, each after an AND. */
export const conditionsOf = ({ state, session, parent }: Partial<ListTokensDto>): Sql => sql`
  ${state ? sql`AND ${IN_STATE[state]}` : sql``}
  ${session === undefined ? sql`` : session ? sql`AND NOT (${STANDING})` : sql`AND ${STANDING}`}
  ${parent ? sql`AND parent_id = ${parent}` : sql``}
  ${parent && state === 'active' ? sql`AND ${LIVING_CHILD}` : sql``}`;
