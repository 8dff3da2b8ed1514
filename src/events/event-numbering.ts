import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { describeError, isLocked, isTimedOut } from '../database/errors';
import { Lanes } from '../database/lanes';
import { retryBroken, retryRolledBack } from '../database/retry';
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
  /** The organization that the last round ended with, because it had looked at enough events. */
  private lastSeen = '';

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
      `SELECT organization_id AS "organizationId" FROM ${this.table('events')} WHERE sequence IS NULL AND organization_id > $1
       ORDER BY organization_id, position LIMIT ${EVENTS_PER_ROUND}`,
      [this.lastSeen],
    );
    // An organization that cannot be numbered may have more events than a round looks at.
    this.lastSeen = rows.length === EVENTS_PER_ROUND ? rows[rows.length - 1].organizationId : '';
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

  /** Numbers all that has been committed so far. False if that takes longer than `withinMs`, or if a lock holds it up. */
  async catchUp(organizationId: string, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    try {
      do {
        const count = await this.number(organizationId);
        // Fewer than a bite are all that had been committed. None may also mean that another process has just numbered some.
        if (count > 0 ? count < EVENTS_PER_BITE : !(await this.isBehind(organizationId))) return true;
      } while (performance.now() < deadline);
    } catch (error) {
      if (!isLocked(error) && !isTimedOut(error)) throw error;
    }
    return false;
  }

  private async isBehind(organizationId: string): Promise<boolean> {
    const sql = `SELECT FROM ${this.table('events')} WHERE organization_id = $1 AND sequence IS NULL ORDER BY position LIMIT 1`;
    const find = () => retryBroken(() => this.dataSource.query(sql, [organizationId]));
    return (await this.lanes.run('quick', organizationId, find)).length > 0;
  }

  /** Numbers up to 1,000 committed events, and returns how many: none if another process has just numbered some. */
  async number(organizationId: string): Promise<number> {
    const count = await this.numberBite(organizationId);
    if (count > 0 || !(await this.addHead(organizationId))) return count;
    return this.numberBite(organizationId);
  }

  /**
   * The lock of the head makes numberers take turns. A statement that has waited for it knows the events as they were before, so it
   * leaves them alone if the head is not as it was. The numbers are an object by id rather than a list to join: of an organization
   * that the statistics do not know yet, PostgreSQL would compare each event with the whole list.
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
          AND head.sequence = (SELECT sequence FROM ${heads} WHERE organization_id = $1)
        ORDER BY position LIMIT ${EVENTS_PER_BITE}
      ),
      bite AS MATERIALIZED (
        SELECT max(position) AS last, jsonb_object_agg(id, sequence) AS sequences
        FROM (SELECT id, position, last + row_number() OVER (ORDER BY position) AS sequence FROM unnumbered) AS next
      ),
      numbered AS (
        UPDATE ${events} AS events SET sequence = ((SELECT sequences FROM bite) ->> id)::bigint
        WHERE organization_id = $1 AND sequence IS NULL AND position <= (SELECT last FROM bite)
          AND (SELECT sequences FROM bite) ? id
        RETURNING sequence
      )
      UPDATE ${heads} AS heads SET sequence = numbered.last
      FROM (SELECT max(sequence) AS last, count(*)::integer AS count FROM numbered) AS numbered
      WHERE organization_id = $1 AND numbered.count > 0
      RETURNING numbered.count`;
    const run = () => retryRolledBack(() => this.dataSource.query(sql, [organizationId]));
    const [[numbered]]: [{ count: number }[]] = await this.lanes.run('quick', organizationId, run);
    return numbered?.count ?? 0;
  }

  /** Whether it was missing: an organization has a head from its first number on, until it is deleted. */
  private async addHead(organizationId: string): Promise<boolean> {
    const heads = this.table('event_heads');
    const run = (sql: string) =>
      this.lanes.run('quick', organizationId, () => this.dataSource.query(sql, [organizationId]));
    const added: unknown[] = await run(
      `INSERT INTO ${heads} (organization_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING organization_id`,
    );
    if (added.length === 0) return false;
    // If the organization was being deleted, the insertion has waited for that.
    const [, orphans]: [unknown, number] = await run(
      `DELETE FROM ${heads} WHERE organization_id = $1 AND NOT EXISTS (SELECT FROM ${this.table('organizations')} WHERE id = $1)`,
    );
    return orphans === 0;
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
