import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../platform/background/background';
import { Database } from '../../platform/database/database';
import { sql, type Sql } from '../../platform/database/sql';
import { SERVICE_OPTIONS } from '../../platform/feature/options.module';
import { Event } from '../event/event.entity';
import { EventHead } from './event-head.entity';

export interface EventRetentionOptions {
  eventRetentionDays: number;
}

const REMOVE_EVERY_MS = 60 * 60_000;
const EVENTS_PER_STATEMENT = 1_000;

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
        ) < ${this.cutoff()}
        ORDER BY organization_id LIMIT ${limit}`,
      part: async (organizationId: string) =>
        (await this.database.execute(organizationId, this.removeOldest(organizationId))) > 0,
    };
    const run = (signal: AbortSignal) => this.background.forEachOrganization(old, signal);
    this.background.add({ name: old.name, everyMs: REMOVE_EVERY_MS, run });
  }

  /** Removes the oldest events up to the first that is not too old. Changes no row once there are none. */
  private removeOldest(organizationId: string): Sql {
    return sql`
      WITH oldest AS MATERIALIZED (
        SELECT sequence, bool_and(occurred_at < ${this.cutoff()}) OVER (ORDER BY sequence) AS "isOld" FROM (
          SELECT sequence, occurred_at FROM ${Event} WHERE organization_id = ${organizationId} AND sequence IS NOT NULL
          ORDER BY sequence LIMIT ${EVENTS_PER_STATEMENT}
        ) AS oldest
      ),
      deleted AS (
        DELETE FROM ${Event} WHERE organization_id = ${organizationId}
          AND sequence <= (SELECT max(sequence) FROM oldest WHERE "isOld")
        RETURNING sequence
      )
      UPDATE ${EventHead} SET removed = greatest(removed, last)
      FROM (SELECT max(sequence) AS last FROM deleted) AS batch
      WHERE organization_id = ${organizationId} AND last IS NOT NULL`;
  }

  private cutoff(): Sql {
    return sql`now() - ${this.options.eventRetentionDays} * interval '24 hours'`;
  }
}
