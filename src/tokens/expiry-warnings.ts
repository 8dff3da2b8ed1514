import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Background } from '../platform/background/background';
import { Database } from '../platform/database/database';
import { query, sql } from '../platform/database/sql';
import { systemCaller } from '../platform/http/caller';
import { Token } from './token/token.entity';
import { updateToken } from './token/write-token';

/** With the jitter of background jobs, a warning is at most a minute late. */
const WARN_EVERY_MS = 30_000;
const TOKENS_PER_PART = 20;

const left = (days: number) => sql`expires_at <= now() + ${days}::integer * interval '24 hours'`;

/**
 * The tokens whose warning is due: `days` before they expire, 0 once they have. If several warnings of a token are due,
 * only the one nearest to its end is recorded. None is recorded if the token's term is shorter than the warning period,
 * or for an end that a rotation has set: whoever rotated the token knows it.
 */
const DUE = sql`
  SELECT organization_id, id, days, expires_at FROM (
    SELECT *, CASE WHEN ${left(0)} THEN 0 WHEN ${left(1)} THEN 1 WHEN ${left(7)} THEN 7 ELSE 14 END AS days
    FROM ${Token}
    WHERE revoked_at IS NULL AND (warned_days IS NULL OR warned_days > 0) AND ${left(14)}
  ) AS ending
  WHERE (warned_days IS NULL OR warned_days > days) AND days <= coalesce(rtrim(expires_in, 'd')::integer, 0)`;

/** Records events 14, 7 and 1 days before a token expires, and when it has expired. */
@Injectable()
export class ExpiryWarnings implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const due = {
      name: 'warn of expiring tokens',
      organizations: (after: string, limit: number) => sql`
        SELECT DISTINCT organization_id AS id FROM (${DUE}) AS due WHERE organization_id > ${after}
        ORDER BY 1 LIMIT ${limit}`,
      part: (organizationId: string) =>
        this.database.write(organizationId, (manager) => warnSome(manager, organizationId)),
    };
    const run = (signal: AbortSignal) => this.background.forEachOrganization(due, signal);
    this.background.add({ name: due.name, everyMs: WARN_EVERY_MS, run });
  }
}

/**
 * Records the events of some tokens, and returns whether more may be due. A token that is locked does not hold up
 * others, and what another replica records at the same time is not recorded twice.
 */
async function warnSome(manager: EntityManager, organizationId: string): Promise<boolean> {
  const due = await query<{ id: string; days: number }>(
    manager,
    sql`SELECT id, days FROM (${DUE}) AS due WHERE organization_id = ${organizationId}
        ORDER BY expires_at LIMIT ${TOKENS_PER_PART} FOR UPDATE SKIP LOCKED`,
  );
  const by = systemCaller(organizationId, 'service', 'system');
  for (const { id, days } of due)
    await updateToken(manager, {
      by,
      type: days === 0 ? 'token.expired' : 'token.expiring',
      update: sql`SET warned_days = ${days} WHERE organization_id = ${organizationId} AND id = ${id}`,
      data: days === 0 ? {} : { days },
    });
  return due.length === TOKENS_PER_PART;
}
