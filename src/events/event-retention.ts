import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { describeError } from '../database/errors';
import { tableName } from '../database/tables';

/** The injection token of how many days events are kept. */
export const EVENT_RETENTION_DAYS = Symbol('event retention days');

const REMOVE_EVERY_MS = 60 * 60_000;
const ORGANIZATIONS_PER_BITE = 1_000;
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
    let organizations: { id: string; isOld: boolean | null }[] = [];
    do {
      // Looks at the oldest event of each organization by its key.
      organizations = await this.dataSource.query(
        `SELECT organization_id AS id, (
           SELECT occurred_at FROM ${this.table('events')} AS events
           WHERE events.organization_id = heads.organization_id AND events.sequence = heads.removed + 1
         ) < now() - $2 * interval '24 hours' AS "isOld"
         FROM ${this.table('event_heads')} AS heads
         WHERE organization_id > $1 ORDER BY organization_id LIMIT ${ORGANIZATIONS_PER_BITE}`,
        [organizations.at(-1)?.id ?? '', this.days],
      );
      for (const { id, isOld } of organizations) if (isOld) await this.removeOldOf(id, signal);
    } while (organizations.length === ORGANIZATIONS_PER_BITE && !signal?.aborted);
  }

  private async removeOldOf(organizationId: string, signal?: AbortSignal): Promise<void> {
    try {
      let isDone = false;
      while (!isDone && !signal?.aborted)
        isDone = !(await this.dataSource.transaction((manager) => this.removeBite(manager, organizationId)));
    } catch (error) {
      const message = 'cannot remove old events of an organization; it will be tried again';
      this.logger.warn({ message, organizationId, error: describeError(error) });
    }
  }

  /** Whether it removed any: those before the first event that is kept. */
  private async removeBite(manager: EntityManager, organizationId: string): Promise<boolean> {
    // Another process that removes them waits here, and goes on with what is left.
    await manager.query(`SELECT FROM ${this.table('event_heads')} WHERE organization_id = $1 FOR UPDATE`, [
      organizationId,
    ]);
    const [{ through }]: [{ through: string | null }] = await manager.query(
      `SELECT max(sequence) AS through FROM (
         SELECT sequence, bool_and(occurred_at < now() - $2 * interval '24 hours') OVER (ORDER BY sequence) AS "isOld" FROM (
           SELECT sequence, occurred_at FROM ${this.table('events')}
           WHERE organization_id = $1 AND sequence IS NOT NULL ORDER BY sequence LIMIT ${EVENTS_PER_BITE}
         ) AS oldest
       ) AS judged WHERE "isOld"`,
      [organizationId, this.days],
    );
    if (through === null) return false;
    await manager.query(
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
