import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { describeError } from '../database/errors';
import { Lanes } from '../database/lanes';
import { tableName } from '../database/tables';
import { systemCaller } from '../http/caller';
import { changeToken } from './change-token';

/** A token is warned of within a minute, with the jitter of the background. */
const WARN_EVERY_MS = 30_000;
const TOKENS_PER_BITE = 100;

/** A token of whose end an event has to tell: that it is over if `days` is 0, or that so many days are left. */
interface Due {
  id: string;
  organizationId: string;
  days: number;
}

/** Tells by events that tokens are about to expire, 14, 7 and 1 days before, and that they have expired. */
@Injectable()
export class ExpiryWarnings implements OnModuleInit {
  private readonly logger = new Logger('ExpiryWarnings');

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
    private readonly lanes: Lanes,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.warn(signal);
    this.background.add({ name: 'warn of expiring tokens', everyMs: WARN_EVERY_MS, run });
  }

  async warn(signal?: AbortSignal): Promise<void> {
    let isDone = false;
    while (!isDone && !signal?.aborted) {
      const due = await this.due();
      let told = 0;
      for (const token of due) if (await this.tell(token)) told++;
      isDone = due.length < TOKENS_PER_BITE || told === 0;
    }
  }

  /**
   * Of several warnings that are due, only the nearest to the end; none that is longer before the end than the token's term, and none
   * of an end that a rotation has set, of which somebody knows.
   */
  private due(): Promise<Due[]> {
    const left = (days: number) => `expires_at <= now() + ${days} * interval '24 hours'`;
    return this.dataSource.query(
      `SELECT id, organization_id AS "organizationId", days FROM (
         SELECT *, CASE WHEN ${left(0)} THEN 0 WHEN ${left(1)} THEN 1 WHEN ${left(7)} THEN 7 ELSE 14 END AS days
         FROM ${this.table()}
         WHERE revoked_at IS NULL AND (warned_days IS NULL OR warned_days > 0) AND ${left(14)}
       ) AS ending
       WHERE (warned_days IS NULL OR warned_days > days)
         AND days <= coalesce(rtrim(expires_in, 'd')::integer, 0)
       ORDER BY expires_at LIMIT ${TOKENS_PER_BITE}`,
    );
  }

  /** Whether this process has told of it: one event, whichever process comes first. */
  private async tell({ id, organizationId, days }: Due): Promise<boolean> {
    const steps = `changed AS (
      UPDATE ${this.table()} SET warned_days = $3
      WHERE organization_id = $1 AND id = $2 AND revoked_at IS NULL AND (warned_days IS NULL OR warned_days > $3)
      RETURNING *)`;
    const change = {
      by: systemCaller(organizationId, 'service', 'system'),
      steps,
      values: [organizationId, id, days],
      ...(days === 0
        ? ({ type: 'token.expired', state: 'expired' } as const)
        : ({ type: 'token.expiring', state: 'active', data: `'days', warned_days` } as const)),
    };
    const run = () => changeToken(this.dataSource.manager, change);
    try {
      return (await this.lanes.run('quick', organizationId, run)).length > 0;
    } catch (error) {
      const message = 'cannot warn of an expiring token; it will be tried again';
      this.logger.warn({ message, organizationId, tokenId: id, error: describeError(error) });
      return false;
    }
  }

  private table(): string {
    return tableName(this.dataSource, 'tokens');
  }
}
