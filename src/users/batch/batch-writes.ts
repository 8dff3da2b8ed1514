import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnavailableException } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { violates, wasRolledBack } from '../../database/errors';
import type { Lanes } from '../../database/lanes';
import type { Query } from '../../database/query';
import { retryBroken } from '../../database/retry';
import { type NewEvent, recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import { columnsOf, type UserColumns } from '../user-columns';
import { changeOf } from '../writes/user-decisions';
import { created, updated } from '../writes/user-events';
import { insertStatement, isStale, type MoreSteps, updateStatement } from '../writes/user-statements';
import { type Decision, decide, type JudgedRow, keysOf, type KnownUser, type Rules } from './batch-rules';
import { findUsers } from './known-users';

/** Writes other than those of the users, in the same transaction and before them. */
export type Alongside = (query: Query, decisions: Decision[]) => Promise<void>;

interface Options {
  /** The keys of the emails that earlier rows of the same job have got. */
  accepted?: ReadonlySet<string>;
  /** Whether a refused row keeps the others from being written. */
  atomic?: boolean;
  dryRun?: boolean;
  alongside?: Alongside;
}

/** What became of the rows, in their order, and the columns that were written. */
interface Result {
  decisions: Decision[];
  written: UserColumns[];
}

/** No attempt begins later than this: other writers may be faster again and again. */
const MAX_WAIT_MS = 8_000;

/** The characters of metadata in a statement; one row may have more. */
const MAX_METADATA = 64 * 1024;

/** Later attempts lock the users when they read them, so that whoever writes one of them all the time cannot keep them from it. */
const ATTEMPTS_WITHOUT_LOCKS = 3;

/**
 * Writes many users of an organization: reads those with the emails of the rows, decides what becomes of each row, and writes that
 * in one transaction, which does nothing unless they are still as they were read. Who was slower starts again.
 */
export class BatchWrites {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  async write(by: Caller, rows: readonly JudgedRow[], rules: Rules, options: Options = {}): Promise<Result> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (let attempt = 1; performance.now() < deadline; attempt++) {
      try {
        return attempt > ATTEMPTS_WITHOUT_LOCKS
          ? await this.attemptLocked(by, rows, rules, options)
          : await this.attempt(by, rows, rules, options);
      } catch (error) {
        if (!hasLostRace(error)) throw error;
        await sleep(Math.random() * attempt * 10);
      }
    }
    throw new ServiceUnavailableException('Other requests keep changing the same users. Try again.');
  }

  private async attempt(
    by: Caller,
    rows: readonly JudgedRow[],
    rules: Rules,
    options: Options,
  ): Promise<Result> {
    const { organizationId } = by;
    const query: Query = (sql, values) => this.dataSource.query(sql, values);
    const known = await this.lanes.run('quick', organizationId, () =>
      retryBroken(() => findUsers(this.dataSource, query, organizationId, keysOf(rows))),
    );
    const plan = this.plan(by, rows, rules, options, known);
    const { length } = plan.writes;
    if (length > 0) {
      const write = () =>
        length === 1 ? plan.writes[0](query) : this.transaction((query) => runAll(plan.writes, query));
      await this.lanes.run('heavy', organizationId, write);
    }
    return plan;
  }

  private attemptLocked(
    by: Caller,
    rows: readonly JudgedRow[],
    rules: Rules,
    options: Options,
  ): Promise<Result> {
    const { organizationId } = by;
    const attempt = async (query: Query) => {
      const known = await findUsers(this.dataSource, query, organizationId, keysOf(rows), true);
      const plan = this.plan(by, rows, rules, options, known);
      await runAll(plan.writes, query);
      return plan;
    };
    return this.lanes.run('heavy', organizationId, () => this.transaction(attempt));
  }

  private transaction<Value>(task: (query: Query) => Promise<Value>): Promise<Value> {
    return this.dataSource.transaction((manager) => task((sql, values) => manager.query(sql, values)));
  }

  private plan(
    by: Caller,
    rows: readonly JudgedRow[],
    rules: Rules,
    { accepted, atomic, dryRun, alongside }: Options,
    known: Map<string, KnownUser>,
  ): Plan {
    const decisions = decide(rows, known, rules, accepted);
    if (dryRun || (atomic && decisions.some(({ outcome }) => outcome === 'refused'))) {
      return { decisions, written: [], writes: [] };
    }
    const users = [...known.values()];
    const added = users
      .filter(({ stored }) => !stored)
      .map(({ id, person }) => ({ id, columns: columnsOf(person), event: created(by, id, person) }));
    const changed = users.flatMap(({ stored, person }) => {
      const change = stored && changeOf(stored, person);
      return change ? { ...change, event: updated(by, stored, change.fields) } : [];
    });
    const { dataSource } = this;
    const { organizationId } = by;
    // The orders prevent a deadlock between two transactions of several statements.
    const statements = [
      ...groupsOf(sortedBy(added, ({ columns }) => String(columns.email_key))).map((group) =>
        insertStatement(dataSource, organizationId, group, this.record(group)),
      ),
      ...groupsOf(sortedBy(changed, ({ id }) => id)).map((group) =>
        updateStatement(dataSource, organizationId, group, { locks: 'wait', more: this.record(group) }),
      ),
    ];
    const writes = statements.map(
      ([sql, values]) =>
        (query: Query) =>
          query(sql, values),
    );
    if (alongside && decisions.some(({ outcome }) => outcome !== 'refused'))
      writes.unshift((query) => alongside(query, decisions));
    return { decisions, written: [...added, ...changed].map(({ columns }) => columns), writes };
  }

  private record(rows: readonly { event: NewEvent }[]): MoreSteps {
    const events = rows.map(({ event }) => event);
    return (parameters, organization) => recordEvents(this.dataSource, parameters, organization, events);
  }
}

interface Plan extends Result {
  writes: ((query: Query) => Promise<unknown>)[];
}

const sortedBy = <Row>(rows: Row[], keyOf: (row: Row) => string): Row[] =>
  rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** The rows of each statement: large metadata takes so long to index that one statement of all would not end in time. */
function groupsOf<Row extends { columns: UserColumns }>(rows: Row[]): Row[][] {
  const groups: Row[][] = [];
  let room = 0;
  for (const row of rows) {
    const { length } = String(row.columns.metadata_text ?? '');
    if (groups.length === 0 || length > room) {
      groups.push([]);
      room = MAX_METADATA;
    }
    room -= length;
    groups.at(-1)!.push(row);
  }
  return groups;
}

async function runAll(writes: Plan['writes'], query: Query): Promise<void> {
  for (const write of writes) await write(query);
}

/** Whether another writer created, changed or deleted one of the users, or took its email, since they were read. */
const hasLostRace = (error: unknown) =>
  isStale(error) || violates(error, 'users_organization_id_email_key_key') || wasRolledBack(error);
