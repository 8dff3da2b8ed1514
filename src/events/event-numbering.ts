import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { describeError } from '../database/errors';
import { Lanes } from '../database/lanes';
import { retryRolledBack } from '../database/retry';
import { tableName } from '../database/tables';
import { TokenEvents } from './token-events';

/** So many events are numbered in some 20 ms. */
const EVENTS_PER_BITE = 1_000;

/** An organization whose events cannot be numbered now must not hold up the others. */
const ORGANIZATIONS_AT_ONCE = 4;

/** A round looks at so many unnumbered events to find the organizations that have some. */
const EVENTS_PER_ROUND = 10_000;

/** Keeps the number of unnumbered events small, which a reader numbers before it reads. */
const NUMBER_EVERY_MS = 2_000;

/**
 * Numbers the events of an organization. Writers leave `sequence` null, so they share no lock; whoever reads first numbers what
 * has been committed. What is visible is committed, so no number comes late, whichever transactions are still open.
 */
@Injectable()
export class EventNumbering implements OnModuleInit {
  private readonly logger = new Logger('EventNumbering');

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
    private readonly lanes: Lanes,
    private readonly tokens: TokenEvents,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.numberAll(signal);
    this.background.add({ name: 'number events', everyMs: NUMBER_EVERY_MS, run });
  }

  /** Numbers all that has been committed, of every organization. */
  async numberAll(signal: AbortSignal): Promise<void> {
    // In the order of the index, which is then used whatever the statistics say.
    const rows: { organizationId: string }[] = await this.dataSource.query(
      `SELECT organization_id AS "organizationId" FROM ${this.table('events')} WHERE sequence IS NULL
       ORDER BY organization_id, position LIMIT ${EVENTS_PER_ROUND}`,
    );
    const organizations = new Set([
      ...rows.map(({ organizationId }) => organizationId),
      ...(await this.tokens.waiting()),
    ]).values();
    const work = async () => {
      for (const organizationId of organizations) {
        await this.numberAllOf(organizationId, signal).catch((error: unknown) => {
          const message = 'cannot number the events of an organization; it will be tried again';
          this.logger.warn({ message, organizationId, error: describeError(error) });
        });
      }
    };
    await Promise.all(Array.from({ length: ORGANIZATIONS_AT_ONCE }, work));
  }

  private async numberAllOf(organizationId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await this.tokens.move(organizationId);
    let count = EVENTS_PER_BITE;
    while (count === EVENTS_PER_BITE && !signal.aborted) count = await this.number(organizationId);
  }

  /** Numbers up to 1,000 committed events, and returns how many. */
  async number(organizationId: string): Promise<number> {
    const count = await this.numberBite(organizationId);
    if (count > 0 || !(await this.addHead(organizationId))) return count;
    return this.numberBite(organizationId);
  }

  /**
   * The lock of the head makes numberers take turns. A statement that has waited for it knows rows as they were before, so it locks
   * them, too: PostgreSQL then leaves out those that have been numbered meanwhile.
   */
  private async numberBite(organizationId: string): Promise<number> {
    const [events, heads] = [this.table('events'), this.table('event_heads')];
    const sql = `
      WITH head AS MATERIALIZED (
        SELECT sequence FROM ${heads} WHERE organization_id = $1 FOR UPDATE
      ),
      unnumbered AS MATERIALIZED (
        SELECT id, position, head.sequence AS last
        FROM ${events} AS events, head WHERE organization_id = $1 AND events.sequence IS NULL
        ORDER BY position LIMIT ${EVENTS_PER_BITE} FOR UPDATE OF events
      ),
      numbered AS (
        UPDATE ${events} AS events SET sequence = next.sequence
        FROM (SELECT id, last + row_number() OVER (ORDER BY position) AS sequence FROM unnumbered) AS next
        WHERE events.organization_id = $1 AND events.id = next.id
        RETURNING next.sequence
      )
      UPDATE ${heads} AS heads SET sequence = numbered.last
      FROM (SELECT max(sequence) AS last, count(*)::integer AS count FROM numbered) AS numbered
      WHERE organization_id = $1 AND numbered.count > 0
      RETURNING numbered.count`;
    const run = () => retryRolledBack(() => this.dataSource.query(sql, [organizationId]));
    const [[numbered]]: [{ count: number }[]] = await this.lanes.run('quick', organizationId, run);
    return numbered?.count ?? 0;
  }

  /** Whether it was missing: an organization has a head from its first number on. */
  private async addHead(organizationId: string): Promise<boolean> {
    const sql = `INSERT INTO ${this.table('event_heads')} (organization_id) VALUES ($1)
      ON CONFLICT DO NOTHING RETURNING organization_id`;
    const add = () => this.dataSource.query(sql, [organizationId]);
    const added: unknown[] = await this.lanes.run('quick', organizationId, add);
    return added.length > 0;
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
