import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Background } from '../../background/background';
import { Database } from '../../database/database';
import { execute, query, sql } from '../../database/sql';
import { SERVICE_OPTIONS } from '../../feature/options.module';
import { Event } from '../event/event.entity';
import { EventHead } from './event-head.entity';

export interface EventRetentionOptions {
  eventRetentionDays: number;
}

const REMOVE_EVERY_MS = 60 * 60_000;
const EVENTS_PER_TRANSACTION = 1_000;

/**
 * An event is also too old if a later one is, because its own time came from a clock that was ahead. It is ignored
 * while its time is in the future; after that, it may be this much younger than the retention.
 */
const MAX_AHEAD = sql`interval '2 hours'`;

/** Removes events that are too old, in the order of their numbers, so that the remaining ones have no gap. */
@Injectable()
export class EventRetention implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly background: Background,
    @Inject(SERVICE_OPTIONS) private readonly options: EventRetentionOptions,
  ) {}

  onModuleInit(): void {
    const old = {
      name: 'remove old events',
      // Finds the oldest event of each organization by its key.
      organizations: (after: string, limit: number) => sql`
        SELECT organization_id AS id FROM ${EventHead} AS heads
        WHERE organization_id > ${after} AND (
          SELECT occurred_at FROM ${Event} AS events
          WHERE events.organization_id = heads.organization_id AND events.sequence > heads.removed
          ORDER BY events.sequence LIMIT 1 -- not removed + 1, which may have been deleted by hand
        ) NOT BETWEEN ${this.cutoff()} + ${MAX_AHEAD} AND now()
        ORDER BY organization_id LIMIT ${limit}`,
      part: (organizationId: string) =>
        this.database.write(organizationId, (manager) => this.removeBatch(manager, organizationId)),
    };
    const run = (signal: AbortSignal) => this.background.forEachOrganization(old, signal);
    this.background.add({ name: old.name, everyMs: REMOVE_EVERY_MS, run });
  }

  /** Removes the oldest events up to the last one that is too old. Returns whether there were any. */
  private async removeBatch(manager: EntityManager, organizationId: string): Promise<boolean> {
    // A second process waits here, and then continues with the rest.
    await execute(
      manager,
      sql`SELECT FROM ${EventHead} WHERE organization_id = ${organizationId} FOR UPDATE`,
    );
    // Events with a future time do not count, or a thousand of them would hide the events after them.
    const [{ lastOld, batchEnd }] = await query<Record<'lastOld' | 'batchEnd', string | null>>(
      manager,
      sql`
        SELECT max(sequence) FILTER (WHERE "isOld") AS "lastOld", (
          SELECT max(sequence) FROM (
            SELECT sequence FROM ${Event} WHERE organization_id = ${organizationId} AND sequence IS NOT NULL
            ORDER BY sequence LIMIT ${EVENTS_PER_TRANSACTION}
          ) AS batch
        ) AS "batchEnd" FROM (
          SELECT sequence, occurred_at < ${this.cutoff()} AND bool_and(
            occurred_at < ${this.cutoff()} + ${MAX_AHEAD}
          ) OVER (ORDER BY sequence) AS "isOld" FROM (
            SELECT sequence, occurred_at FROM ${Event}
            WHERE organization_id = ${organizationId} AND sequence IS NOT NULL AND occurred_at <= now()
            ORDER BY sequence LIMIT ${EVENTS_PER_TRANSACTION}
          ) AS oldest
        ) AS judged`,
    );
    if (lastOld === null) return false;
    const through = Math.min(Number(lastOld), Number(batchEnd));
    const owned = sql`organization_id = ${organizationId}`;
    await execute(manager, sql`DELETE FROM ${Event} WHERE ${owned} AND sequence <= ${through}`);
    await execute(
      manager,
      sql`UPDATE ${EventHead} SET removed = greatest(removed, ${through}::bigint) WHERE ${owned}`,
    );
    return true;
  }

  private cutoff() {
    return sql`now() - ${this.options.eventRetentionDays} * interval '24 hours'`;
  }
}
