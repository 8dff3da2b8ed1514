import { setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { wasRefused } from '../database/errors';
import { PER_TURN } from '../database/per-turn';
import { retryRolledBack } from '../database/retry';
import { SearchIndexes } from './search/search-indexes';
import type { User } from './user.entity';
import {
  deleteStatement,
  insertStatement,
  updateStatement,
  updateUnlockedStatement,
  type UserKey,
  type UserRow,
  wordsOfRows,
} from './user-statements';
import { Vocabulary } from './search/vocabulary';

/** The result of a row that needs a statement of its own, so that it cannot delay the others. */
const ALONE = Symbol('alone');

type StatementBuilder = typeof insertStatement;

type Result = User | undefined | typeof ALONE;

/** Larger statements are not faster and hold their locks longer. */
const MAX_ROWS = 32;

/** Limits the wait for the statement in progress, which may itself wait for a lock. */
const MAX_WAIT_MS = 5;

/**
 * Writes users in batches: while one statement is in progress, rows for the next one accumulate. If the database rejects a
 * batch, each row is written alone, so a request never fails because of another. With 64 connections a create or change takes
 * 1.5 to 2.1 times as much CPU without batches, in the service and in PostgreSQL.
 */
@Injectable()
export class UserWrites {
  private inProgress: Promise<unknown> = Promise.resolve();
  private readonly batching = {
    ...PER_TURN,
    maxBatchSize: MAX_ROWS,
    batchScheduleFn: (write: () => void) =>
      void Promise.race([this.inProgress, sleep(MAX_WAIT_MS)]).then(() => setImmediate(write)),
  };
  private readonly inserts = new DataLoader<UserRow, Result>((rows) => this.insertAll(rows), this.batching);
  private readonly updates = new DataLoader<UserRow, Result>((rows) => this.updateAll(rows), this.batching);
  private readonly vocabulary: Vocabulary;
  private readonly searchIndexes: SearchIndexes;

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {
    this.vocabulary = new Vocabulary(dataSource);
    this.searchIndexes = new SearchIndexes(dataSource);
  }

  /** Returns the new user, or undefined if its email is taken in the organization. */
  async insert(row: UserRow): Promise<User | undefined> {
    const result = isLarge(row) ? ALONE : await this.inserts.load(row);
    const user = result === ALONE ? await this.writeOne(row, insertStatement) : result;
    if (user) this.searchIndexes.countWrites(1);
    return user;
  }

  /** Returns the updated user, or undefined if it does not exist. */
  async update(row: UserRow): Promise<User | undefined> {
    // Email changes are not batched: a statement releases the old emails in any order, so two of them could deadlock.
    const result = isLarge(row) || 'email_key' in row.columns ? ALONE : await this.updates.load(row);
    const user = result === ALONE ? await this.writeOne(row, updateStatement) : result;
    if (user) this.searchIndexes.countWrites(1);
    return user;
  }

  /**
   * Returns whether the user existed. Deletes are not batched, because a table of a host application may reference users
   * and have slow triggers.
   */
  async delete(key: UserKey): Promise<boolean> {
    const [, count]: [unknown, number] = await retryRolledBack(() =>
      this.dataSource.query(...deleteStatement(this.dataSource, key)),
    );
    return count === 1;
  }

  private async insertAll(rows: readonly UserRow[]): Promise<Result[]> {
    const users = await this.write(rows, insertStatement).catch(splitIfRejected(rows));
    return rows.map((row) => (users ? users.get(keyOf(row)) : ALONE));
  }

  private async updateAll(rows: readonly UserRow[]): Promise<Result[]> {
    if (rows.length === 1) return [await this.writeOne(rows[0], updateStatement)];
    // One statement can update a user only once; further updates of the user are written alone.
    const firstRows = new Map(rows.toReversed().map((row) => [keyOf(row), row]));
    const users = await this.write([...firstRows.values()], updateUnlockedStatement).catch(
      splitIfRejected(rows),
    );
    return rows.map((row) => (firstRows.get(keyOf(row)) === row && users?.get(keyOf(row))) || ALONE);
  }

  private async writeOne(row: UserRow, statement: StatementBuilder): Promise<User | undefined> {
    return (await this.write([row], statement)).get(keyOf(row));
  }

  private async write(rows: readonly UserRow[], statement: StatementBuilder): Promise<Map<string, User>> {
    const result = retryRolledBack<User[]>(() => this.dataSource.query(...statement(this.dataSource, rows)));
    this.inProgress = result.catch(() => {});
    const users = await result;
    const written = new Set(users.map(keyOf));
    await this.vocabulary.learn(wordsOfRows(rows.filter((row) => written.has(keyOf(row)))));
    return new Map(users.map((user) => [keyOf(user), user]));
  }
}

const keyOf = ({ organizationId, id }: UserKey) => `${organizationId} ${id}`;

/** Large metadata takes long to index, so its user must not delay the others of a batch. */
const isLarge = ({ columns }: UserRow) => String(columns.metadata_text ?? '').length > 1_000;

/** Returns undefined to make the caller write the rows one by one; rethrows anything else. */
const splitIfRejected = (rows: readonly UserRow[]) => (error: unknown) => {
  if (rows.length === 1 || !wasRefused(error)) throw error;
};
