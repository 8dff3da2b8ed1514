import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import { Bulkhead } from '../../fairness/bulkhead';
import { LIMITS } from '../../fairness/limits';
import { COMMON_SHARE } from '../../fairness/owners';
import { poolOf } from './pool';

/** Runs work in a transaction. */
export type InTransaction = <Result>(work: (manager: EntityManager) => Promise<Result>) => Promise<Result>;

/**
 * Runs work with our entities in the open transaction of another manager: each call in a savepoint, so that one that
 * throws leaves the transaction usable, and after the one before it, because a savepoint must not enclose the
 * statements of another call. Throws unless the manager is in a transaction, on the connections of our data source.
 */
export function joinTransaction(
  dataSource: DataSource,
  { dataSource: theirs, queryRunner }: EntityManager,
): InTransaction {
  if (!queryRunner) throw new Error(NO_TRANSACTION);
  assertOpen(queryRunner);
  // A host's data source and ours share one pool, and so its options.
  if (poolOf(theirs)?.options !== poolOf(dataSource).options)
    throw new Error('within() requires a manager of the data source that the UserManagementModule uses.');
  const runner = new JoinedQueryRunner(dataSource.driver as PostgresDriver, queryRunner);
  const { manager } = Object.assign(runner, { manager: dataSource.createEntityManager(runner) });
  const calls = callsOf.get(queryRunner) ?? new Bulkhead(LIMITS.oneAtATime);
  callsOf.set(queryRunner, calls);
  return (work) => calls.run(COMMON_SHARE, () => manager.transaction(work));
}

const callsOf = new WeakMap<QueryRunner, Bulkhead>();

const NO_TRANSACTION =
  'within() requires the manager of an open transaction: dataSource.transaction((manager) => users.within(manager).create(…)).';

function assertOpen(runner: QueryRunner): void {
  if (runner.isReleased || !runner.isTransactionActive) throw new Error(NO_TRANSACTION);
}

/** Runs statements on the connection of another query runner, and transactions as savepoints in its transaction. */
class JoinedQueryRunner extends PostgresQueryRunner {
  constructor(
    driver: PostgresDriver,
    private readonly theirs: QueryRunner,
  ) {
    super(driver, 'master');
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  /** After the end of the transaction the connection belongs to somebody else. */
  override async connect(): Promise<unknown> {
    assertOpen(this.theirs);
    return this.theirs.connect();
  }
}
