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
import { insertStatement, type MoreSteps, updateStatement } from '../writes/user-statements';
import { type Decision, decide, type JudgedRow, keysOf, type KnownUser, type Mode } from './batch-rules';
import { findUsers } from './known-users';

interface Options {
  mode: Mode;
  /** Whether a refused row keeps the others from being written. */
  atomic: boolean;
  dryRun: boolean;
  /** Runs in the transaction before the users are written, unless nothing is. */
  claim?: (query: Query, decisions: Decision[]) => Promise<void>;
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

/**
 * Writes many users of an organization in one transaction: locks those with the emails of the rows, decides what becomes of each
 * row, and writes that. The lock keeps others from changing or deleting these users meanwhile. If another transaction creates a
 * user with one of the emails, everything is undone, and the next attempt finds that user.
 */
export class BatchWrites {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  write(by: Caller, rows: readonly JudgedRow[], options: Options): Promise<Result> {
    const { organizationId } = by;
    if (options.dryRun) return this.tryOut(organizationId, rows, options);
    const transaction = () =>
      this.dataSource.transaction((manager) =>
        this.attempt((sql, values) => manager.query(sql, values), by, rows, options),
      );
    return retryLostRaces(() => this.lanes.run('heavy', organizationId, transaction));
  }

  private async tryOut(
    organizationId: string,
    rows: readonly JudgedRow[],
    { mode }: Options,
  ): Promise<Result> {
    const query: Query = (sql, values) => this.dataSource.query(sql, values);
    const read = () => retryBroken(() => findUsers(this.dataSource, query, organizationId, keysOf(rows)));
    const known = await this.lanes.run('quick', organizationId, read);
    return { decisions: decide(rows, known, mode), written: [] };
  }

  private async attempt(
    query: Query,
    by: Caller,
    rows: readonly JudgedRow[],
    { mode, atomic, claim }: Options,
  ): Promise<Result> {
    const known = await findUsers(this.dataSource, query, by.organizationId, keysOf(rows), true);
    const decisions = decide(rows, known, mode);
    const isRefused = ({ outcome }: Decision) => outcome === 'refused';
    if (decisions.every(isRefused) || (atomic && decisions.some(isRefused)))
      return { decisions, written: [] };
    await claim?.(query, decisions);
    return { decisions, written: await this.writeUsers(query, by, [...known.values()]) };
  }

  private async writeUsers(query: Query, by: Caller, users: KnownUser[]): Promise<UserColumns[]> {
    const { dataSource } = this;
    const { organizationId } = by;
    const added = users
      .filter(({ stored }) => !stored)
      .map(({ id, person }) => ({ id, columns: columnsOf(person), event: created(by, id, person) }));
    const changed = users.flatMap(({ stored, person }) => {
      const change = stored && changeOf(stored, person);
      return change ? { ...change, event: updated(by, stored, change.fields) } : [];
    });
    // The order prevents a deadlock between two batches that create the same users.
    added.sort((a, b) => (String(a.columns.email_key) < String(b.columns.email_key) ? -1 : 1));
    for (const group of groupsOf(added))
      await query(...insertStatement(dataSource, organizationId, group, this.record(group)));
    for (const group of groupsOf(changed))
      await query(
        ...updateStatement(dataSource, organizationId, group, { locks: 'held', more: this.record(group) }),
      );
    return [...added, ...changed].map(({ columns }) => columns);
  }

  private record(rows: readonly { event: NewEvent }[]): MoreSteps {
    const events = rows.map(({ event }) => event);
    return (parameters, organization) => recordEvents(this.dataSource, parameters, organization, events);
  }
}

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

async function retryLostRaces<Value>(run: () => Promise<Value>): Promise<Value> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let attempt = 1; performance.now() < deadline; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!hasLostRace(error)) throw error;
      await sleep(Math.random() * attempt * 10);
    }
  }
  throw new ServiceUnavailableException('Other requests keep changing the same users. Try again.');
}

/** Whether another transaction took one of the emails since they were looked up, or PostgreSQL rolled this one back. */
const hasLostRace = (error: unknown) =>
  violates(error, 'users_organization_id_email_key_key') || wasRolledBack(error);
