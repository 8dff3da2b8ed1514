import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { WriteStatements, type Written } from '../../database/citus/write-statements';
import { violates, wasRefused } from '../../database/errors';
import { Gathered } from '../../database/gathered';
import { newId } from '../../database/id';
import type { Parameters } from '../../database/parameters';
import type { Query } from '../../database/query';
import { retryBroken, retryRolledBack } from '../../database/retry';
import { InTurn } from '../../database/in-turn';
import { NO_LANES } from '../../database/join-transaction';
import { Lanes } from '../../database/lanes';
import { type NewEvent, recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import type { Claim } from '../../http/input/idempotency-key';
import { UNAVAILABLE } from '../../http/problem';
import { type ClaimRow, IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { Vocabulary } from '../search/vocabulary';
import { type UserText, VocabularySweep } from '../search/vocabulary-sweep';
import { DeletedUserReads } from '../deleted/deleted-user-reads';
import { columnsOf, searchTextOf, wordsOf } from '../user-columns';
import { changeOf, type Precondition } from './user-decisions';
import { takenEmails } from './taken-emails';
import { created, deleted, restored, updated } from './user-events';
import type { User } from '../user.entity';
import type { WritableFields } from '../user.fields';
import { UserReads } from './user-reads';
import {
  deleteStatement,
  insertStatement,
  isStale,
  type MoreSteps,
  type NewUser,
  restoreStatement,
  type UserChange,
  updateStatement,
} from './user-statements';

/** A write waits no longer for its words to be stored; they only serve typos. */
const MAX_LEARNING_MS = 1_000;

/** What has become of a write. */
export type Outcome =
  | { outcome: 'written' | 'unchanged' | 'replayed'; user: User }
  | { outcome: 'missing' | 'stale' | 'taken'; user?: undefined };

/** The result of a row that needs a statement of its own. */
const ALONE = Symbol('alone');

/** The result of a new user whose email is taken. */
const TAKEN = Symbol('taken');

type InsertResult = Written | undefined | typeof ALONE | typeof TAKEN;

/** No attempt begins later than this: other writes of the user may wait for a lock, or be faster again and again. */
const MAX_WAIT_MS = 8_000;

/**
 * Writes users: each write reads the user, decides what changes, and writes that in one statement, which does nothing unless the
 * user still has the version that was read. Who was slower starts again. The writes of an organization are gathered into common
 * statements; if the database rejects one, each row is written alone, so no request fails because of another.
 */
@Injectable()
export class UserWrites {
  private readonly inserts: Gathered<RecordedUser, InsertResult>;
  private readonly updates: Gathered<RecordedChange, Written | undefined | typeof ALONE>;
  private readonly users = new InTurn();
  private readonly dataSource: DataSource;
  private readonly vocabulary: Vocabulary;

  constructor(
    @InjectEntityManager(DATABASE) private readonly manager: EntityManager,
    private readonly reads: UserReads,
    private readonly deletedReads: DeletedUserReads,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly sweep: VocabularySweep,
    private readonly lanes: Lanes,
    private readonly statements: WriteStatements,
  ) {
    this.dataSource = manager.dataSource;
    this.inserts = new Gathered(lanes, (organizationId, users) => this.insertTogether(organizationId, users));
    this.updates = new Gathered(lanes, (organizationId, changes) =>
      this.together(organizationId, changes, this.updateStatement),
    );
    this.vocabulary = new Vocabulary(this.dataSource, lanes);
  }

  /** The same in a transaction of a host. */
  within(manager: EntityManager): UserWrites {
    return new UserWrites(
      manager,
      this.reads.within(manager),
      this.deletedReads,
      this.idempotencyKeys,
      this.sweep,
      NO_LANES,
      this.statements.within(manager),
    );
  }

  /** With a claim, returns what the same request has created before. */
  async insert(by: Caller, fields: WritableFields, claim?: Claim): Promise<Outcome> {
    if (!claim) return this.insertNew(by, fields);
    const { organizationId } = by;
    const { result, answer } = await this.idempotencyKeys.once(
      organizationId,
      claim,
      () => this.insertNew(by, fields, claim),
      ({ outcome }) => outcome === 'taken',
    );
    if (result) return result;
    const { userId: id, fields: stored, at } = answer;
    const user = {
      organizationId,
      id: id!,
      ...(stored as WritableFields),
      version: 1,
      createdAt: at,
      updatedAt: at,
    };
    return { outcome: 'replayed', user };
  }

  private async insertNew(by: Caller, fields: WritableFields, claim?: Claim): Promise<Outcome> {
    const { organizationId } = by;
    const id = newId('usr');
    const row = {
      id,
      columns: columnsOf(fields),
      event: created(by, id, fields),
      claim: claim && { claim, userId: id, fields },
    };
    try {
      const gathered = isLarge(row) ? ALONE : await this.inserts.ask(organizationId, row);
      if (gathered === TAKEN) return { outcome: 'taken' };
      const written =
        gathered === ALONE ? await this.alone(organizationId, row, this.insertStatement) : gathered;
      await this.finish(organizationId, row);
      const [createdAt, updatedAt] = [written!.at, written!.at];
      return {
        outcome: 'written',
        user: { organizationId, id, ...fields, version: 1, createdAt, updatedAt },
      };
    } catch (error) {
      if (isEmailTaken(error)) return { outcome: 'taken' };
      throw error;
    }
  }

  update(by: Caller, id: string, fields: Partial<WritableFields>, meets: Precondition): Promise<Outcome> {
    const { organizationId } = by;
    return this.decided(this.reads, organizationId, id, async (user) => {
      if (!meets(user.version)) return { outcome: 'stale' };
      const change = changeOf(user, fields);
      if (!change) return { outcome: 'unchanged', user };
      const row = { ...change, event: updated(by, user, change.fields) };
      const written = await this.change(organizationId, row).catch(orTaken);
      if (written === 'taken') return { outcome: 'taken' };
      if (!written) return undefined;
      await this.finish(organizationId, change);
      const changed = {
        ...user,
        ...change.fields,
        version: user.version + 1,
        updatedAt: written.at,
      };
      return { outcome: 'written', user: changed };
    });
  }

  /** Deletes go alone, because a table of a host application may reference users and have slow triggers. */
  delete(by: Caller, id: string, meets: Precondition): Promise<Outcome> {
    const { organizationId } = by;
    return this.decided(this.reads, organizationId, id, async (user) => {
      if (!meets(user.version)) return { outcome: 'stale' };
      const record = this.recordStep([{ event: deleted(by, user) }]);
      const statement = deleteStatement(this.dataSource, user, record);
      const gone = await this.lanes.run('write', organizationId, () =>
        this.runOne(organizationId, statement),
      );
      return gone && { outcome: 'written', user };
    });
  }

  /** Makes a deleted user a user again, with these fields changed. */
  restore(by: Caller, id: string, fields: Partial<WritableFields>): Promise<Outcome> {
    const { organizationId } = by;
    return this.decided(this.deletedReads, organizationId, id, async (user) => {
      const columns = columnsOf({ ...user, ...fields });
      const record = this.recordStep([{ event: restored(by, user, fields) }]);
      const statement = restoreStatement(this.dataSource, user, columns, record);
      const lane = isLarge({ columns }) ? 'heavy' : 'write';
      const back = await this.lanes
        .run(lane, organizationId, () => this.runOne(organizationId, statement))
        .catch(orTaken);
      if (back === 'taken') return { outcome: 'taken' };
      if (!back) return undefined;
      await this.finish(organizationId, { columns });
      return {
        outcome: 'written',
        user: { ...user, ...fields, version: user.version + 1, updatedAt: back.at },
      };
    });
  }

  /** Reads the user and decides, until nobody else has written it meanwhile. In one process, writes of a user wait for each other. */
  private decided(
    reads: Pick<UserReads, 'find'>,
    organizationId: string,
    id: string,
    write: (user: User) => Promise<Outcome | undefined>,
  ): Promise<Outcome> {
    const deadline = performance.now() + MAX_WAIT_MS;
    return this.users.run(`${organizationId} ${id}`, async () => {
      for (let attempt = 1; performance.now() < deadline; attempt++) {
        const user = await reads.find(organizationId, id);
        if (!user) return { outcome: 'missing' };
        const outcome = await write(user);
        if (outcome) return outcome;
        await sleep(Math.random() * Math.min(attempt, 10));
      }
      throw new ServiceUnavailableException(UNAVAILABLE);
    });
  }

  /** Undefined if the user no longer has its version. */
  private async change(organizationId: string, change: RecordedChange): Promise<Written | undefined> {
    // Email changes are not gathered: a statement releases the old emails in any order, so two of them could deadlock.
    const isAlone = isLarge(change) || 'email_key' in change.columns;
    const written = isAlone ? ALONE : await this.updates.ask(organizationId, change);
    return written === ALONE ? this.alone(organizationId, change, this.updateStatement) : written;
  }

  /**
   * If the database rejects the statement, most often because emails are taken, a second one writes the users whose emails are
   * free; of those with the same email, the first. Each of the others would alone be written with all that belongs to it, and undone.
   */
  private async insertTogether(organizationId: string, users: RecordedUser[]): Promise<InsertResult[]> {
    const results = await this.together(organizationId, users, this.insertStatement);
    if (results[0] !== ALONE) return results;
    const firsts = new Map([...users].reverse().map((user) => [emailKeyOf(user), user]));
    const query: Query = (sql, values) => retryBroken(() => this.manager.query(sql, values));
    const taken = await takenEmails(this.dataSource, query, organizationId, [...firsts.keys()]);
    for (const key of taken) firsts.delete(key);
    const left = [...firsts.values()];
    if (left.length === users.length) return results;
    const second = await this.tryTogether(organizationId, left, this.insertStatement);
    const written = new Map<RecordedUser, InsertResult>(left.map((user, i) => [user, second[i]]));
    return users.map((user): InsertResult => {
      const first = firsts.get(emailKeyOf(user));
      if (!first) return TAKEN;
      return user === first || written.get(first) === ALONE ? written.get(first) : TAKEN;
    });
  }

  private async together<Row extends { id: string }>(
    organizationId: string,
    rows: Row[],
    statement: StatementOf<Row>,
  ): Promise<(Written | undefined | typeof ALONE)[]> {
    if (rows.length > 1) return this.tryTogether(organizationId, rows, statement);
    return [await this.runOne(organizationId, statement(this.dataSource, organizationId, rows))];
  }

  private async tryTogether<Row extends { id: string }>(
    organizationId: string,
    rows: Row[],
    statement: StatementOf<Row>,
  ): Promise<(Written | undefined | typeof ALONE)[]> {
    if (rows.length === 0) return [];
    try {
      const run = statement(this.dataSource, organizationId, rows);
      const written = new Map((await this.run(organizationId, run)).map((row) => [row.id, row]));
      return rows.map(({ id }) => written.get(id));
    } catch (error) {
      if (!wasRefused(error)) throw error;
      return rows.map(() => ALONE);
    }
  }

  private async alone<Row extends NewUser | UserChange>(
    organizationId: string,
    row: Row,
    statement: StatementOf<Row>,
  ): Promise<Written | undefined> {
    const run = () => this.runOne(organizationId, statement(this.dataSource, organizationId, [row]));
    return this.lanes.run(isLarge(row) ? 'heavy' : 'write', organizationId, run);
  }

  private readonly insertStatement: StatementOf<RecordedUser> = (dataSource, organizationId, users) =>
    insertStatement(dataSource, organizationId, users, (parameters, organization) => {
      const claims = users.flatMap(({ claim }) => claim ?? []);
      const texts = users.map(({ id: userId, columns }) => ({ userId, text: searchTextOf(columns) }));
      return [
        ...this.recordStep(users)(parameters, organization),
        ...this.idempotencyKeys.step(parameters, organization, claims),
        ...this.learnLaterStep(parameters, organization, texts),
      ];
    });

  private readonly updateStatement: StatementOf<RecordedChange> = (dataSource, organizationId, changes) => {
    const texts = changes.flatMap(({ id: userId, search }) => (search ? { userId, text: search.text } : []));
    const more: MoreSteps = (...names) => [
      ...this.recordStep(changes)(...names),
      ...this.learnLaterStep(...names, texts),
    ];
    return updateStatement(dataSource, organizationId, changes, { more });
  };

  private recordStep(rows: readonly Recorded[]): MoreSteps {
    const events = rows.map(({ event }) => event);
    return (parameters, organization) => recordEvents(this.dataSource, parameters, organization, events);
  }

  private learnLaterStep(parameters: Parameters, organization: string, texts: UserText[]): string[] {
    return this.isInTransaction() ? this.sweep.learnStep(parameters, organization, texts) : [];
  }

  private isInTransaction(): boolean {
    return this.manager.queryRunner !== undefined;
  }

  /** Undefined if the user no longer has its version. */
  private async runOne(
    organizationId: string,
    statement: ReturnType<StatementOf<never>>,
  ): Promise<Written | undefined> {
    const written = await this.run(organizationId, statement).catch((error: unknown) => {
      if (isStale(error)) return [];
      throw error;
    });
    return written[0];
  }

  private run(organizationId: string, statement: ReturnType<StatementOf<never>>): Promise<Written[]> {
    return retryRolledBack(() => this.statements.run(organizationId, statement));
  }

  private async finish(organizationId: string, { columns }: Pick<NewUser, 'columns'>): Promise<void> {
    if (this.isInTransaction()) return this.sweep.soon();
    const learned = this.vocabulary.learn(organizationId, wordsOf(columns));
    await Promise.race([learned, sleep(MAX_LEARNING_MS, undefined, { ref: false })]);
  }
}

/** A row, and the event that is written with it. */
interface Recorded {
  event: NewEvent;
}

type RecordedChange = UserChange & Recorded;

type RecordedUser = NewUser & Recorded & { claim?: ClaimRow };

type StatementOf<Row> = (
  dataSource: DataSource,
  organizationId: string,
  rows: readonly Row[],
) => [sql: string, values: unknown[]];

/** Large metadata takes long to index, so its user must not delay the others of a batch. */
const isLarge = ({ columns }: Pick<NewUser, 'columns'>) => String(columns.metadata_text ?? '').length > 1_000;

const emailKeyOf = ({ columns }: NewUser) => String(columns.email_key);

const isEmailTaken = (error: unknown) => violates(error, 'users_organization_id_email_key_key');

/** For `.catch()` of a write. */
function orTaken(error: unknown): 'taken' {
  if (isEmailTaken(error)) return 'taken';
  throw error;
}
