import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import { InTurn } from './in-turn';
import { Lanes } from './lanes';

/**
 * For services in a transaction, which has its connection already. If it waited for a lane, and whoever has the lane for a
 * connection of the pool, neither would go on.
 */
export const NO_LANES = new Lanes(Infinity);

/**
 * An entity manager of our data source in the open transaction of another manager. A statement that fails leaves the
 * transaction as it was before. Throws unless the manager is in a transaction, on the connections of our data source.
 */
export function joinTransaction(
  dataSource: DataSource,
  { dataSource: theirs, queryRunner }: EntityManager,
): EntityManager {
  if (!queryRunner) throw new Error(NO_TRANSACTION);
  assertOpen(queryRunner);
  if (poolOptionsOf(theirs) !== poolOptionsOf(dataSource))
    throw new Error('within() requires a manager of the data source that the UserManagementModule uses.');
  const runner = new JoinedQueryRunner(dataSource.driver as PostgresDriver, queryRunner);
  return Object.assign(runner, { manager: dataSource.createEntityManager(runner) }).manager;
}

const NO_TRANSACTION =
  'within() requires the manager of an open transaction: dataSource.transaction((manager) => users.within(manager).create(…)).';

function assertOpen(runner: QueryRunner): void {
  if (runner.isReleased || !runner.isTransactionActive) throw new Error(NO_TRANSACTION);
}

/** The data source of a host and ours share one pool, and so its options. */
const poolOptionsOf = ({ driver }: DataSource): unknown =>
  (driver as unknown as { master?: { options: unknown } }).master?.options;

/** The statements of each transaction that was joined: a savepoint must not enclose the statement of another call. */
const statements = new WeakMap<QueryRunner, InTurn>();

const SAVEPOINT = 'user_management';

/** Runs statements on the connection of another query runner, each under a savepoint. */
class JoinedQueryRunner extends PostgresQueryRunner {
  constructor(
    driver: PostgresDriver,
    private readonly theirs: QueryRunner,
  ) {
    super(driver, 'master');
    if (!statements.has(theirs)) statements.set(theirs, new InTurn());
  }

  /** The connection would be somebody else's after the end of the transaction. */
  override async connect(): Promise<unknown> {
    assertOpen(this.theirs);
    return this.theirs.connect();
  }

  override query(
    ...statement: Parameters<PostgresQueryRunner['query']>
  ): ReturnType<PostgresQueryRunner['query']> {
    return statements.get(this.theirs)!.run('', async () => {
      await super.query(`SAVEPOINT ${SAVEPOINT}`);
      try {
        const result: unknown = await super.query(...statement);
        await super.query(`RELEASE SAVEPOINT ${SAVEPOINT}`);
        return result;
      } catch (error) {
        const undo = async () => {
          await super.query(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`);
          await super.query(`RELEASE SAVEPOINT ${SAVEPOINT}`);
        };
        await undo().catch(() => {}); // the connection may be broken
        throw error;
      }
    });
  }
}
