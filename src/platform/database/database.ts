import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager, EntityMetadata } from 'typeorm';
import { Bulkhead } from '../fairness/bulkhead';
import { LIMITS } from '../fairness/limits';
import { COMMON_SHARE } from '../fairness/owners';
import { isDistributed } from './citus/node-of';
import { type ConnectionShares, type Cost } from './connections/connection-shares';
import { type InTransaction, joinTransaction } from './connections/join-transaction';
import { OUTDATED, pendingMigrations } from './migrate';
import { retryBroken, retryRolledBack } from './retry';
import { missingRight } from './rights';
import { execute, query, sql, type Sql } from './sql';

type Work<Result> = (manager: EntityManager) => Promise<Result>;

/** The server ends a snapshot whose client is gone after this time, because the snapshot keeps its locks on tables. */
const MAX_IDLE_MS = 5_000;

/**
 * The least `work_mem` of a snapshot. With PostgreSQL's default of 4 MB, the bitmap of a frequent pattern among three
 * million users is lossy: it holds pages instead of rows, and every row of these pages is read (540 ms instead of 250).
 */
const LEAST_WORK_MEM_KB = 32 * 1024;

/** The database as a feature sees it: one organization at a time. */
@Injectable()
export class Database {
  private readonly sweeps = new Bulkhead(LIMITS.oneAtATime);

  constructor(
    private readonly dataSource: DataSource,
    private readonly shares: ConnectionShares,
  ) {}

  /** Whether this is in a transaction of the host, whose changes others see only after its commit. */
  readonly isJoined: boolean = false;

  /** Runs statements that only read, in the organization's share. Repeated up to twice if the connection breaks. */
  read<Result>(organizationId: string, work: Work<Result>, cost: Cost = 'quick'): Promise<Result> {
    const read = () => retryBroken(() => work(this.dataSource.manager));
    return this.shares.withConnection(cost, organizationId, read);
  }

  /**
   * Reads with several statements that see the same rows, each of which may take `maxMs`, within the organization's
   * share. Each is planned for its values, which decide whether an index is worth it. The settings are those of the
   * transaction, so they hold behind PgBouncer and do not last.
   */
  snapshot<Result>(organizationId: string, maxMs: number, work: Work<Result>): Promise<Result> {
    const read = () =>
      this.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await manager.query(
          `SELECT set_config('transaction_read_only', 'on', true), set_config('statement_timeout', $1, true),
             set_config('plan_cache_mode', 'force_custom_plan', true),
             set_config('idle_in_transaction_session_timeout', $2, true),
             set_config('work_mem', greatest($3::bigint, pg_size_bytes(current_setting('work_mem')) / 1024) || 'kB', true)`,
          [String(maxMs), String(MAX_IDLE_MS), LEAST_WORK_MEM_KB],
        );
        return work(manager);
      });
    return this.shares.withConnection('heavy', organizationId, () => retryBroken(read));
  }

  /**
   * Runs a transaction within the organization's share. Repeated as a whole after a deadlock or a serialization
   * failure, so `work` must have no other effects.
   */
  write<Result>(organizationId: string, work: Work<Result>, cost: Cost = 'write'): Promise<Result> {
    const transaction = () => retryRolledBack(() => this.dataSource.transaction(work));
    return this.shares.withConnection(cost, organizationId, transaction);
  }

  /** Runs one statement that writes, without a transaction around it. Returns how many rows it changed. */
  execute(organizationId: string, statement: Sql, cost: Cost = 'quick'): Promise<number> {
    const run = () => retryRolledBack(() => execute(this.dataSource.manager, statement));
    return this.shares.withConnection(cost, organizationId, run);
  }

  /** Reads rows of all organizations, on a cluster from every node. Repeated up to twice if the connection breaks. */
  readAll<Row>(statement: Sql): Promise<Row[]> {
    return retryBroken(() => query<Row>(this.dataSource.manager, statement));
  }

  /**
   * The same for work that no request waits for. One statement at a time: on a cluster, each keeps its connection for
   * as long as a node hangs, and takes no share of an organization.
   */
  sweep<Row>(statement: Sql): Promise<Row[]> {
    return this.sweeps.run(COMMON_SHARE, () => this.readAll<Row>(statement));
  }

  /** Runs a transaction over all organizations, which takes no organization's share. Repeated as that of `write()`. */
  writeAll<Result>(work: Work<Result>): Promise<Result> {
    return retryRolledBack(() => this.dataSource.transaction(work));
  }

  /** The tables of the service, in the order of the features. TypeORM itself has them in the order of the imports. */
  get tables(): EntityMetadata[] {
    return (this.dataSource.options.entities as Function[]).map((entity) =>
      this.dataSource.getMetadata(entity),
    );
  }

  /** Whether the rows of the organizations are distributed over the nodes of a Citus cluster. */
  isDistributed(): Promise<boolean> {
    return isDistributed(this.dataSource);
  }

  /** The reason why the service cannot work on a database that answers; undefined if it can. */
  async reasonUnusable(): Promise<string | undefined> {
    const [{ readOnly }] = await this.readAll<{ readOnly: boolean }>(
      sql`SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`,
    );
    if (readOnly) return 'The database is read-only.';
    const missing = await missingRight(this.dataSource);
    if (missing) return `The database role lacks a right: ${missing}. Grant it as the owner of the tables.`;
    return (await pendingMigrations(this.dataSource)).length > 0 ? OUTDATED : undefined;
  }

  /** The same in an open transaction of the host. Throws if the manager is in none, or not on our connections. */
  within(manager: EntityManager): Database {
    return new JoinedDatabase(this.dataSource, this.shares, joinTransaction(this.dataSource, manager));
  }
}

/**
 * The database in a transaction of the host, which has its connection already: waiting for a share while holding a
 * connection could deadlock with a holder that waits for a connection. Each call is a savepoint, so one that throws
 * leaves the transaction usable.
 */
class JoinedDatabase extends Database {
  override readonly isJoined = true;

  constructor(
    dataSource: DataSource,
    shares: ConnectionShares,
    private readonly inTransaction: InTransaction,
  ) {
    super(dataSource, shares);
  }

  override read<Result>(_organizationId: string, work: Work<Result>): Promise<Result> {
    return this.inTransaction(work);
  }

  override write<Result>(_organizationId: string, work: Work<Result>): Promise<Result> {
    return this.inTransaction(work);
  }

  override writeAll<Result>(work: Work<Result>): Promise<Result> {
    return this.inTransaction(work);
  }

  override execute(_organizationId: string, statement: Sql): Promise<number> {
    return this.inTransaction((manager) => execute(manager, statement));
  }

  override readAll<Row>(statement: Sql): Promise<Row[]> {
    return this.inTransaction((manager) => query<Row>(manager, statement));
  }
}
