import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { columnsOf, insertSql } from '../../platform/database/columns';
import { Database } from '../../platform/database/database';
import { execute, query, sql } from '../../platform/database/sql';
import { Event, TokenEvent } from '../event/event.entity';

const EVENTS_PER_TRANSACTION = 500;

const COLUMNS = columnsOf(TokenEvent).select;

/** Moves the events of tokens, which wait in a table beside the tokens, to the other events of the organization. */
@Injectable()
export class TokenEvents {
  constructor(private readonly database: Database) {}

  /** The organizations that have events to move. */
  async waiting(): Promise<string[]> {
    const rows = await this.database.readAll<{ id: string }>(
      sql`SELECT DISTINCT organization_id AS id FROM ${TokenEvent}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Moves the events of an organization. They keep their positions; a second caller waits for the first. */
  async move(organizationId: string): Promise<void> {
    const exist = () =>
      this.database.read(organizationId, (manager) => manager.existsBy(TokenEvent, { organizationId }));
    while (await exist())
      await this.database.write(organizationId, (manager) => moveSome(manager, organizationId), 'quick');
  }
}

/** Two statements, because on a cluster the tables are on different servers. */
async function moveSome(manager: EntityManager, organizationId: string): Promise<void> {
  const events = await query<TokenEvent>(
    manager,
    sql`DELETE FROM ${TokenEvent} WHERE organization_id = ${organizationId} AND position IN (
          SELECT position FROM ${TokenEvent} WHERE organization_id = ${organizationId}
          ORDER BY position LIMIT ${EVENTS_PER_TRANSACTION})
        RETURNING ${COLUMNS}`,
  );
  if (events.length > 0) await execute(manager, insertSql(Event, events));
}
