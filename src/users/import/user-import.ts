import type { DataSource, QueryRunner } from 'typeorm';
import { sqlState, wasRolledBack } from '../../database/errors';
import { tableName } from '../../database/tables';
import { newId } from '../../database/id';
import type { Caller } from '../../http/caller';
import { decideOutcomes, emailKeysOf, type KnownUser, type Outcome, validateRow } from './import-rules';
import { columnsOf } from '../user-columns';
import type { User } from '../user.entity';
import { emailKey, USER_FIELDS, WRITABLE_NAMES } from '../user.fields';
import { insertStatement, updateStatement, type UserRow, wordsOfRows } from '../user-statements';
import { Vocabulary } from '../search/vocabulary';

const ATTEMPTS = 5;
const LOCK_NOT_AVAILABLE = '55P03';

const WRITABLE_COLUMNS = WRITABLE_NAMES.map((name) => `${USER_FIELDS[name].column} AS "${name}"`).join(', ');

class RaceLost extends Error {}

/**
 * Imports many users; each row is validated as in the API. A batch is one transaction. A row that equals an existing
 * user changes nothing, so an interrupted import resumes when it is run again.
 */
export class UserImport {
  private readonly vocabulary: Vocabulary;

  constructor(
    private readonly dataSource: DataSource,
    private readonly by: Caller,
    private readonly update: boolean,
  ) {
    this.vocabulary = new Vocabulary(dataSource);
  }

  /** Returns the outcomes in the order of the rows. If it throws, nothing was written. */
  async add(rows: unknown[]): Promise<Outcome[]> {
    const validated = rows.map((row) => validateRow(row, this.update));
    for (let attempt = 1; ; attempt++) {
      try {
        const { outcomes, written } = await this.dataSource.transaction(async ({ queryRunner }) => {
          const runner = queryRunner!;
          const known = await findUsers(runner, this.by.organizationId, emailKeysOf(validated), this.update);
          const outcomes = decideOutcomes(validated, known, this.update);
          return { outcomes, written: await this.write(runner, [...known.values()]) };
        });
        await this.vocabulary.learn(wordsOfRows(written)); // afterwards, so that no request waits for the transaction
        return outcomes;
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof RaceLost || wasRolledBack(error))) throw error;
      }
    }
  }

  /** Sorts the new entries into the indexes of the search, and brings the planner's statistics up to date. */
  async finish(): Promise<void> {
    const run = (name: string) => this.dataSource.query(`SELECT ${tableName(this.dataSource, name)}()`);
    // A replica that is at the first already has a lock, and does the same.
    await run('ums_sort_in').catch((error: unknown) => {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
    });
    await run('ums_analyze');
  }

  private async write(runner: QueryRunner, known: KnownUser[]): Promise<UserRow[]> {
    const rowOf = ({ id, person }: KnownUser): UserRow => ({
      organizationId: this.by.organizationId,
      id: id ?? newId('usr'),
      columns: columnsOf(person),
    });
    const created = known.filter(({ id }) => id === undefined).map(rowOf);
    const changed = known.filter((user) => user.changed).map(rowOf);
    if (created.length > 0) {
      const inserted: User[] = await runner.query(...insertStatement(this.dataSource, created));
      // Another writer created one of them after findUsers().
      if (inserted.length < created.length)
        throw new RaceLost('Other requests keep creating the same users as this import.');
    }
    if (changed.length > 0) await runner.query(...updateStatement(this.dataSource, changed));
    return [...created, ...changed];
  }
}

/** The users with these emails, by email key. With `lock` their rows stay locked until the transaction ends. */
export async function findUsers(
  runner: QueryRunner,
  organizationId: string,
  keys: string[],
  lock: boolean,
): Promise<Map<string, KnownUser>> {
  const users: User[] = await runner.query(
    // The join looks up each key in the index; with = ANY, a planner without statistics scans the whole organization.
    `SELECT id, ${WRITABLE_COLUMNS}
     FROM unnest($2::text[]) AS wanted (email_key) JOIN ${tableName(runner.dataSource, 'users')} AS users USING (email_key)
     WHERE organization_id = $1 ${lock ? 'ORDER BY users.email_key FOR UPDATE OF users' : ''}`,
    [organizationId, keys],
  );
  return new Map(users.map(({ id, ...person }) => [emailKey(person.email), { id, person }]));
}
