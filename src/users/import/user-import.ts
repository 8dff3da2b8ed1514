import type { DataSource, QueryRunner } from 'typeorm';
import { wasRolledBack } from '../../database/errors';
import { tableName } from '../../database/tables';
import { newId } from '../../database/id';
import type { Caller } from '../../http/caller';
import { decide, judge, keysOf, type Known, type Outcome } from './import-rules';
import { columnsOf } from '../user-columns';
import type { User } from '../user.entity';
import { emailKey, USER_FIELDS, WRITABLE_NAMES } from '../user.fields';
import { change, insertion, type UserRow, wordsOfRows } from '../user-statements';

const ATTEMPTS = 5;

const WRITABLE_COLUMNS = WRITABLE_NAMES.map((name) => `${USER_FIELDS[name].column} AS "${name}"`).join(', ');

class RaceLost extends Error {}

/**
 * Takes in many users, each judged by the rules of the API. A batch is one transaction. A row that is there already, just
 * as it stands, is left alone: an import that was cut short goes on by being run again.
 */
export class UserImport {
  constructor(
    private readonly dataSource: DataSource,
    private readonly by: Caller,
    private readonly update: boolean,
  ) {}

  /** What became of each row, in their order. A batch that throws has written nothing. */
  async add(rows: unknown[]): Promise<Outcome[]> {
    const judged = rows.map((row) => judge(row, this.update));
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.dataSource.transaction(async ({ queryRunner }) => {
          const runner = queryRunner!;
          const known = await findKnown(runner, this.by.organizationId, keysOf(judged), this.update);
          const outcomes = decide(judged, known, this.update);
          await this.write(runner, [...known.values()]);
          return outcomes;
        });
      } catch (error) {
        if (attempt === ATTEMPTS || !(error instanceof RaceLost || wasRolledBack(error))) throw error;
      }
    }
  }

  private async write(runner: QueryRunner, known: Known[]): Promise<void> {
    const rowOf = ({ id, person }: Known): UserRow => ({
      organizationId: this.by.organizationId,
      id: id ?? newId('usr'),
      columns: columnsOf(person),
    });
    const created = known.filter(({ id }) => id === undefined).map(rowOf);
    const changed = known.filter((user) => user.changed).map(rowOf);
    // In one statement, which has an order; two imports that learned the same words in two would deadlock.
    const words = wordsOfRows([...created, ...changed]);
    if (created.length > 0) {
      const inserted: User[] = await runner.query(...insertion(this.dataSource, created, words));
      // Somebody else made one of them since they were looked for.
      if (inserted.length < created.length)
        throw new RaceLost('Others keep making the users of this import.');
    }
    if (changed.length > 0)
      await runner.query(...change(this.dataSource, changed, created.length > 0 ? [] : words));
  }
}

/** The users with these emails, by email key. Those who may be updated are held until the transaction ends. */
export async function findKnown(
  runner: QueryRunner,
  organizationId: string,
  keys: string[],
  hold: boolean,
): Promise<Map<string, Known>> {
  const users: User[] = await runner.query(
    // A join with the keys, which asks the index for each: with = ANY a planner without statistics reads everybody.
    `SELECT id, ${WRITABLE_COLUMNS}
     FROM unnest($2::text[]) AS wanted (email_key) JOIN ${tableName(runner.dataSource, 'users')} AS users USING (email_key)
     WHERE organization_id = $1 ${hold ? 'ORDER BY users.email_key FOR UPDATE OF users' : ''}`,
    [organizationId, keys],
  );
  return new Map(users.map(({ id, ...person }) => [emailKey(person.email), { id, person }]));
}
