import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { describeError } from '../database/errors';
import { tableName } from '../database/tables';

/** The injection token of how many days events are kept. */
export const EVENT_RETENTION_DAYS = Symbol('event retention days');

const REMOVE_EVERY_MS = 60 * 60_000;
const EVENTS_PER_BITE = 1_000;

/** Removes events that are too old, in the order of their numbers, so that what is kept has no gap. */
@Injectable()
export class EventRetention implements OnModuleInit {
  private readonly logger = new Logger('EventRetention');

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
    @Inject(EVENT_RETENTION_DAYS) private readonly days: number,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.removeOld(signal);
    this.background.add({ name: 'remove old events', everyMs: REMOVE_EVERY_MS, run });
  }

  async removeOld(signal?: AbortSignal): Promise<void> {
    const organizations: { organizationId: string }[] = await this.dataSource.query(
      `SELECT organization_id AS "organizationId" FROM ${this.table('event_heads')} WHERE removed < sequence`,
    );
    for (const { organizationId } of organizations) {
      await this.removeOldOf(organizationId, signal).catch((error: unknown) => {
        const message = 'cannot remove old events of an organization; it will be tried again';
        this.logger.warn({ message, organizationId, error: describeError(error) });
      });
    }
  }

  private async removeOldOf(organizationId: string, signal?: AbortSignal): Promise<void> {
    let isDone = false;
    while (!isDone && !signal?.aborted) isDone = !(await this.removeBite(organizationId));
  }

  /** Whether it removed any: those before the first event that is kept. */
  private async removeBite(organizationId: string): Promise<boolean> {
    const [{ through }]: [{ through: string | null }] = await this.dataSource.query(
      `SELECT max(sequence) AS through FROM (
         SELECT sequence, bool_and(occurred_at < now() - $2 * interval '24 hours') OVER (ORDER BY sequence) AS "isOld" FROM (
           SELECT sequence, occurred_at FROM ${this.table('events')}
           WHERE organization_id = $1 AND sequence IS NOT NULL ORDER BY sequence LIMIT ${EVENTS_PER_BITE}
         ) AS oldest
       ) AS judged WHERE "isOld"`,
      [organizationId, this.days],
    );
    if (through === null) return false;
    await this.dataSource.query(
      `WITH gone AS (DELETE FROM ${this.table('events')} WHERE organization_id = $1 AND sequence <= $2)
       UPDATE ${this.table('event_heads')} SET removed = greatest(removed, $2) WHERE organization_id = $1`,
      [organizationId, through],
    );
    return true;
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
