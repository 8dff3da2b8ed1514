import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Background } from '../background/background';
import { Database } from '../database/database';
import { describeError } from '../database/errors';
import { sql } from '../database/sql';
import { systemCaller } from '../http/caller';
import { Token } from './token.entity';
import { updateToken } from './update-token';

/** With the jitter of background jobs, a warning is at most a minute late. */
const WARN_EVERY_MS = 30_000;
const TOKENS_PER_ROUND = 100;

/** A token whose warning is due: `days` before it expires, 0 once it has. */
interface Due {
  id: string;
  organizationId: string;
  days: number;
}

/** Records events 14, 7 and 1 days before a token expires, and when it has expired. */
@Injectable()
export class ExpiryWarnings implements OnModuleInit {
  private readonly logger = new Logger('ExpiryWarnings');

  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.warnAll(signal);
    this.background.add({ name: 'warn of expiring tokens', everyMs: WARN_EVERY_MS, run });
  }

  async warnAll(signal?: AbortSignal): Promise<void> {
    let isDone = false;
    while (!isDone && !signal?.aborted) {
      const due = await this.due();
      let warned = 0;
      for (const token of due) if (await this.warn(token)) warned++;
      isDone = due.length < TOKENS_PER_ROUND || warned === 0;
    }
  }

  /**
   * If several warnings of a token are due, only the one nearest to its end is recorded. None is recorded if the
   * token's term is shorter than the warning period, or for an end that a rotation has set: whoever rotated the token
   * knows it.
   */
  private due(): Promise<Due[]> {
    const left = (days: number) => sql`expires_at <= now() + ${days}::integer * interval '24 hours'`;
    return this.database.readAll(sql`
      SELECT id, organization_id AS "organizationId", days FROM (
        SELECT *, CASE WHEN ${left(0)} THEN 0 WHEN ${left(1)} THEN 1 WHEN ${left(7)} THEN 7 ELSE 14 END AS days
        FROM ${Token}
        WHERE revoked_at IS NULL AND (warned_days IS NULL OR warned_days > 0) AND ${left(14)}
      ) AS ending
      WHERE (warned_days IS NULL OR warned_days > days)
        AND days <= coalesce(rtrim(expires_in, 'd')::integer, 0)
      ORDER BY expires_at LIMIT ${TOKENS_PER_ROUND}`);
  }

  /** Returns whether this process recorded the event. It is recorded once, however many replicas try. */
  private async warn({ id, organizationId, days }: Due): Promise<boolean> {
    const change = {
      by: systemCaller(organizationId, 'service', 'system'),
      type: days === 0 ? ('token.expired' as const) : ('token.expiring' as const),
      update: sql`SET warned_days = ${days}
        WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL
          AND (warned_days IS NULL OR warned_days > ${days})`,
      data: days === 0 ? {} : { days },
    };
    try {
      return await this.database.write(organizationId, (manager) => updateToken(manager, change), 'quick');
    } catch (error) {
      const message = 'cannot warn of an expiring token; it will be tried again';
      this.logger.warn({ message, organizationId, tokenId: id, error: describeError(error) });
      return false;
    }
  }
}
