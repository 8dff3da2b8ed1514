import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Database } from '../platform/database/database';
import { PER_TURN } from '../platform/database/per-turn';
import { anyOf, raw, sql } from '../platform/database/sql';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import type { KnownToken } from '../platform/http/caller';
import { isWithin } from '../tokens/token/allowed-networks';
import { IN_STATE, Token } from '../tokens/token/token.entity';
import { hashOf, isTokenValue } from '../tokens/token/token-value';
import { LastUse } from './last-use';
import type { OperatorOptions } from './operator.options';
import { suspendedSql } from '../organizations/suspension';

type StoredToken = Omit<KnownToken, 'isElsewhere'> & Pick<Token, 'allowedNetworks'>;

interface TokenRow extends StoredToken {
  hash: Buffer;
}

const SUSPENDED = sql`${suspendedSql(raw('tokens.organization_id'))} AS suspended`;

/**
 * Finds the token of a request. Every request queries the database and nothing is cached, so a revocation takes effect
 * with the next request. The requests of one turn of the event loop share a query, see `PER_TURN`.
 */
@Injectable()
export class AuthService {
  private readonly usable = new DataLoader<Buffer, StoredToken | null, string>(
    (hashes) => this.findUsable(hashes),
    PER_TURN,
  );

  private readonly operatorHashes: readonly Buffer[];

  constructor(
    private readonly database: Database,
    private readonly lastUse: LastUse,
    @Inject(SERVICE_OPTIONS) { operatorTokens = [] }: OperatorOptions,
  ) {
    this.operatorHashes = operatorTokens.map(hashOf);
  }

  /** Whether this is a token of the operator. Comparing hashes tells nothing of the value by the time that it takes. */
  isOperator(value: string): boolean {
    return this.isOperatorHash(hashOf(value));
  }

  /**
   * The token with this value, used from this address; null if it is unknown, expired or revoked. The operator's is
   * unknown, too.
   */
  async find(value: string, address: string | undefined): Promise<KnownToken | null> {
    if (!isTokenValue(value)) return null;
    const hash = hashOf(value);
    if (this.isOperatorHash(hash)) return null;
    const found = await this.usable.load(hash);
    if (!found) return null;
    const { allowedNetworks, ...token } = found;
    const isElsewhere = allowedNetworks !== null && !isWithin(address, allowedNetworks);
    if (!isElsewhere) this.lastUse.record(token.id);
    return { ...token, isElsewhere };
  }

  private isOperatorHash(hash: Buffer): boolean {
    return this.operatorHashes.some((known) => known.equals(hash));
  }

  private async findUsable(hashes: readonly Buffer[]): Promise<(StoredToken | null)[]> {
    const rows = await this.database.readAll<TokenRow>(sql`
      SELECT hash, id, organization_id AS "organizationId", name, scopes, expires_at AS "expiresAt",
        rate_limit AS "rateLimit", allowed_networks AS "allowedNetworks", parent_id AS "parentId",
        coalesce(window_id, id) AS "windowId", ${SUSPENDED}
      FROM ${Token} AS tokens WHERE hash = ${anyOf(hashes, 'bytea')} AND ${IN_STATE.active}`);
    const byHash = new Map(rows.map(({ hash, ...token }) => [hash.toString('latin1'), token]));
    return hashes.map((hash) => byHash.get(hash.toString('latin1')) ?? null);
  }
}
