import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { Lanes } from '../database/lanes';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { systemCaller } from '../http/caller';
import { changeToken } from '../tokens/change-token';
import { hashOf, isTokenValue } from '../tokens/token-value';
import { IN_STATE } from '../tokens/tokens.service';

interface LeakedToken {
  id: string;
  organizationId: string;
}

/** Revokes tokens that somebody has found where they do not belong. */
@Injectable()
export class LeaksService {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  /** Revokes those of these values that are active tokens, of whatever organization. */
  async report(values: readonly string[], requestId: string): Promise<void> {
    const hashes = values.filter(isTokenValue).map(hashOf);
    if (hashes.length === 0) return;
    const sql = `SELECT id, organization_id AS "organizationId" FROM ${this.table()} WHERE hash = ANY ($1) AND ${IN_STATE.active}`;
    const leaked: LeakedToken[] = await retryBroken(() => this.dataSource.query(sql, [hashes]));
    for (const token of leaked) await this.revoke(token, requestId);
  }

  private async revoke({ id, organizationId }: LeakedToken, requestId: string): Promise<void> {
    const by = { ...systemCaller(organizationId, 'api', 'leak report'), requestId };
    const steps = `changed AS (
      UPDATE ${this.table()} SET revoked_at = now()
      WHERE organization_id = $1 AND id = $2 AND ${IN_STATE.active} RETURNING *)`;
    const values = [organizationId, id];
    const change = { by, type: 'token.leaked', state: 'revoked', steps, values } as const;
    await this.lanes.run('quick', organizationId, () => changeToken(this.dataSource.manager, change));
  }

  private table(): string {
    return tableName(this.dataSource, 'tokens');
  }
}
