import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { PER_TURN } from '../database/per-turn';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import type { CallerToken } from '../http/caller';
import { hashOf, isTokenValue } from '../tokens/token-value';
import { LastUse } from './last-use';

interface TokenRow extends CallerToken {
  hash: Buffer;
}

/**
 * Finds the token of a request. Every request queries the database and nothing is cached, so a revocation takes effect
 * with the next request. The requests of one turn of the event loop share a query, which keeps this fast.
 */
@Injectable()
export class AuthService {
  private readonly usable = new DataLoader<Buffer, CallerToken | null, string>(
    (hashes) => this.findUsable(hashes),
    PER_TURN,
  );

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
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
    const rows: TokenRow[] = await retryBroken(() =>
      this.dataSource.query(
        `SELECT hash, id, organization_id AS "organizationId", name, scopes, expires_at AS "expiresAt"
         FROM ${tableName(this.dataSource, 'tokens')}
         WHERE hash = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
        [hashes],
      ),
    );
    const byHash = new Map(rows.map(({ hash, ...token }) => [hash.toString('latin1'), token]));
    return hashes.map((hash) => byHash.get(hash.toString('latin1')) ?? null);
  }
}
