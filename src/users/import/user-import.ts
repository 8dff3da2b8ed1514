import type { DataSource, QueryRunner } from 'typeorm';
import { sqlState, violates, wasRolledBack } from '../../database/errors';
import { tableName } from '../../database/tables';
import { newId } from '../../database/id';
import { Lanes } from '../../database/lanes';
import { type NewEvent, recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import { decideOutcomes, emailKeysOf, type KnownUser, type Outcome, validateRow } from './import-rules';
import { columnsOf, type UserColumns, USER_COLUMNS, wordsOf } from '../user-columns';
import { changeOf } from '../writes/user-decisions';
import { created as createdEvent, updated as updatedEvent } from '../writes/user-events';
import type { User } from '../user.entity';
import { emailKey } from '../user.fields';
import { insertStatement, isStale, type MoreSteps, updateStatement } from '../writes/user-statements';
import { Vocabulary } from '../search/vocabulary';

const ATTEMPTS = 5;
const LOCK_NOT_AVAILABLE = '55P03';

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
    this.vocabulary = new Vocabulary(dataSource, new Lanes(1));
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
        await this.learn(written); // afterwards, so that no request waits for the transaction
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

  private async write(runner: QueryRunner, known: KnownUser[]): Promise<UserColumns[]> {
    const { organizationId } = this.by;
    const created = known
      .filter(({ stored }) => stored === undefined)
      .map(({ person }) => {
        const id = newId('usr');
        return { id, columns: columnsOf(person), event: createdEvent(this.by, id, person) };
      });
    const changed = known.flatMap(({ stored, person }) => {
      const change = stored && changeOf(stored, person);
      return change ? { ...change, event: updatedEvent(this.by, stored, change.fields) } : [];
    });
    if (created.length > 0) {
      const statement = insertStatement(this.dataSource, organizationId, created, this.record(created));
      await runner.query(...statement).catch(rethrowRaceLost);
    }
    if (changed.length > 0) {
      const more = this.record(changed);
      const statement = updateStatement(this.dataSource, organizationId, changed, {
        skipLocked: false,
        more,
      });
      await runner.query(...statement).catch(rethrowRaceLost);
    }
    return [...created, ...changed].map(({ columns }) => columns);
  }

  private record(rows: readonly { event: NewEvent }[]): MoreSteps {
    const events = rows.map(({ event }) => event);
    return (parameters, organization) => recordEvents(this.dataSource, parameters, organization, events);
  }

  private async learn(written: UserColumns[]): Promise<void> {
    await this.vocabulary.learn(this.by.organizationId, written.flatMap(wordsOf));
  }
}

const RACE_LOST = 'Other requests keep changing the same users as this import.';

/** Another writer created, changed or deleted one of the users, or took its email, after findUsers(). */
function rethrowRaceLost(error: unknown): never {
  const isLost = isStale(error) || violates(error, 'users_organization_id_email_key_key');
  throw isLost ? new RaceLost(RACE_LOST) : error;
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
    `SELECT organization_id AS "organizationId", ${USER_COLUMNS}
     FROM unnest($2::text[]) AS wanted (email_key) JOIN ${tableName(runner.dataSource, 'users')} AS users USING (email_key)
     WHERE organization_id = $1 ${lock ? 'ORDER BY users.email_key FOR UPDATE OF users' : ''}`,
    [organizationId, keys],
  );
  return new Map(users.map((stored) => [emailKey(stored.email), { stored, person: stored }]));
}
