import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Database } from '../database/database';
import { PER_TURN } from '../database/per-turn';
import { sql } from '../database/sql';
import type { CallerToken } from '../http/caller';
import { IN_STATE, Token } from '../tokens/token.entity';
import { hashOf, isTokenValue } from '../tokens/token-value';
import { LastUse } from './last-use';

interface TokenRow extends CallerToken {
  hash: Buffer;
}

/**
 * Finds the token of a request. Every request queries the database and nothing is cached, so a revocation takes effect
 * with the next request. The requests of one turn of the event loop share a query, see `PER_TURN`.
 */
@Injectable()
export class AuthService {
  private readonly usable = new DataLoader<Buffer, CallerToken | null, string>(
    (hashes) => this.findUsable(hashes),
    PER_TURN,
  );

  constructor(
    private readonly database: Database,
    private readonly lastUse: LastUse,
  ) {}

  /** The token with this value; null if it is unknown, expired or revoked. */
  async find(value: string): Promise<CallerToken | null> {
    if (!isTokenValue(value)) return null;
    const token = await this.usable.load(hashOf(value));
    if (token) this.lastUse.record(token.id);
    return token;
  }

  private async findUsable(hashes: readonly Buffer[]): Promise<(CallerToken | null)[]> {
    const rows = await this.database.readAll<TokenRow>(sql`
      SELECT hash, id, organization_id AS "organizationId", name, scopes, expires_at AS "expiresAt",
        rate_limit AS "rateLimit", parent_id AS "parentId", coalesce(window_id, id) AS "windowId"
      FROM ${Token} WHERE hash = ANY (${hashes}) AND ${IN_STATE.active}`);
    const byHash = new Map(rows.map(({ hash, ...token }) => [hash.toString('latin1'), token]));
    return hashes.map((hash) => byHash.get(hash.toString('latin1')) ?? null);
  }
}
