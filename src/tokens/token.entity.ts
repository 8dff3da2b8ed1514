import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { Scope } from '../http/scopes';
import type { TokenState } from './tokens.dto';

@Entity('tokens')
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

  /** Whether the database's clock has passed `expiresAt`. */
  @VirtualColumn({ type: 'boolean', query: (token) => `coalesce(${token}.expires_at <= now(), false)` })
  expired: boolean;
}

/** The stored columns of a token, under the names of the entity. */
export const STORED_COLUMNS = `id, name, hint, scopes, expires_in AS "expiresIn", expires_at AS "expiresAt",
  created_at AS "createdAt", last_used_at AS "lastUsedAt", revoked_at AS "revokedAt",
  rotated_from AS "rotatedFrom"`;

/** The columns of a token in a SELECT, under the names of the entity. */
export const TOKEN_COLUMNS = `${STORED_COLUMNS}, coalesce(expires_at <= now(), false) AS expired`;

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The record of a token that is in this state as JSON, for its event. */
export const tokenJson = (state: TokenState) =>
  `json_build_object('id', id, 'name', name, 'hint', hint, 'scopes', scopes, 'state', '${state}', 'expiresIn', expires_in,
     'expiresAt', ${time('expires_at')}, 'createdAt', ${time('created_at')},
     'lastUsedAt', ${time('last_used_at')}, 'revokedAt', ${time('revoked_at')},
     'rotatedFrom', rotated_from)`;
