import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { systemCaller } from '../http/caller';
import { IN_STATE, Token } from '../tokens/token.entity';
import { hashOf, isTokenValue } from '../tokens/token-value';
import { updateToken } from '../tokens/update-token';

interface LeakedToken {
  id: string;
  organizationId: string;
}

/** Revokes tokens whose values have been found in public. */
@Injectable()
export class LeaksService {
  constructor(private readonly database: Database) {}

  /** Revokes each of these values that is an active token, of any organization. */
  async report(values: readonly string[], requestId: string): Promise<void> {
    const hashes = values.filter(isTokenValue).map(hashOf);
    if (hashes.length === 0) return;
    const leaked = await this.database.readAll<LeakedToken>(sql`
      SELECT id, organization_id AS "organizationId" FROM ${Token} WHERE hash = ANY (${hashes}) AND ${IN_STATE.active}`);
    // A token that cannot be revoked now does not hold up the others. The caller gets the error and may report again.
    let failure: unknown;
    for (const token of leaked) {
      await this.revoke(token, requestId).catch((error: unknown) => {
        failure = error;
      });
    }
    if (failure !== undefined) throw failure;
  }

  private async revoke({ id, organizationId }: LeakedToken, requestId: string): Promise<void> {
    const by = { ...systemCaller(organizationId, 'api', 'leak report'), requestId };
    const update = sql`SET revoked_at = now() WHERE organization_id = ${organizationId} AND id = ${id} AND ${IN_STATE.active}`;
    await this.database.write(
      organizationId,
      (manager) => updateToken(manager, { by, type: 'token.leaked', update }),
      'quick',
    );
  }
}
