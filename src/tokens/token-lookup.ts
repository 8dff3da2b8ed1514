import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import type { CallerToken } from '../auth/authenticated-request';
import { InjectDatabase } from '../database/database.module';
import { PER_TURN } from '../database/per-turn';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { LastUse } from './last-use';
import { hashOf, isTokenValue } from './token-value';

interface TokenRow extends CallerToken {
  hash: Buffer;
}

/**
 * Finds the token that a request was made with. Every request asks the database, and nothing is remembered: that is what
 * makes a revocation hold from the next request on. What makes it fast is that the requests of one turn of the event
 * loop ask together.
 */
@Injectable()
export class TokenLookup {
  private readonly usable = new DataLoader<Buffer, CallerToken | null, string>(
    (hashes) => this.findUsable(hashes),
    PER_TURN,
  );

  constructor(
    @InjectDatabase() private readonly dataSource: DataSource,
    private readonly lastUse: LastUse,
  ) {}

  /** The token with this value, unless it has expired or been revoked. */
  async find(value: string): Promise<CallerToken | null> {
    if (!isTokenValue(value)) return null;
    const token = await this.usable.load(hashOf(value));
    if (token) this.lastUse.record(token.id);
    return token;
  }

  private async findUsable(hashes: readonly Buffer[]): Promise<(CallerToken | null)[]> {
    const rows: TokenRow[] = await retryBroken(() =>
      this.dataSource.query(
        `SELECT hash, id, organization_id AS "organizationId", scopes
         FROM ${tableName(this.dataSource, 'tokens')}
         WHERE hash = ANY ($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
        [hashes],
      ),
    );
    const byHash = new Map(rows.map(({ hash, ...token }) => [hash.toString('latin1'), token]));
    return hashes.map((hash) => byHash.get(hash.toString('latin1')) ?? null);
  }
}
