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
  change,
  changeOfFree,
  deletion,
  insertion,
  type UserKey,
  type UserRow,
  wordsOfRows,
} from './user-statements';
import { KnownWords } from './search/vocabulary';

/** The result of a row that wants a statement of its own: what holds that one up holds up nobody else. */
const ALONE = Symbol('alone');

type Write = typeof insertion;

type Result = User | undefined | typeof ALONE;

/** More in a statement are written no faster, and hold what they lock for longer. */
const MAX_ROWS = 32;

/** What is under way may wait for somebody else. */
const MAX_WAIT_MS = 5;

/**
 * Writes users: while one statement is under way, those for the next gather. What it refuses for the sake of one of them is
 * then asked for one by one; so nobody's request fails because of another.
 */
@Injectable()
export class UserWrites {
  private underWay: Promise<unknown> = Promise.resolve();
  private readonly gathering = {
    ...PER_TURN,
    maxBatchSize: MAX_ROWS,
    batchScheduleFn: (write: () => void) =>
      void Promise.race([this.underWay, sleep(MAX_WAIT_MS)]).then(() => setImmediate(write)),
  };
  private readonly insertions = new DataLoader<UserRow, Result>(
    (rows) => this.insertAll(rows),
    this.gathering,
  );
  private readonly changes = new DataLoader<UserRow, Result>((rows) => this.changeAll(rows), this.gathering);
  private readonly knownWords = new KnownWords();
  private readonly searchIndexes: SearchIndexes;

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {
    this.searchIndexes = new SearchIndexes(dataSource);
  }

  /** The new user; undefined where the organization has one with that email. */
  async insert(row: UserRow): Promise<User | undefined> {
    const gathered = isHeavy(row) ? ALONE : await this.insertions.load(row);
    const user = gathered === ALONE ? await this.writeOne(row, insertion) : gathered;
    if (user) this.searchIndexes.gathered(1);
    return user;
  }

  /** The user with these changes; undefined where there is none. */
  async change(row: UserRow): Promise<User | undefined> {
    // Several emails that change together give up their old ones in any order, and would deadlock.
    const gathered = isHeavy(row) || 'email_key' in row.columns ? ALONE : await this.changes.load(row);
    const user = gathered === ALONE ? await this.writeOne(row, change) : gathered;
    if (user) this.searchIndexes.gathered(1);
    return user;
  }

  /**
   * Whether there was such a user. Alone, because a table of a host application may refer to users, and its triggers may
   * wait or take long.
   */
  async delete(key: UserKey): Promise<boolean> {
    const [, deleted]: [unknown[], number] = await retryRolledBack(() =>
      this.dataSource.query(...deletion(this.dataSource, key)),
    );
    return deleted > 0;
  }

  private async insertAll(rows: readonly UserRow[]): Promise<Result[]> {
    const users = await this.write(rows, insertion).catch(refusalOf(rows));
    return rows.map((row) => (users ? users.get(keyOf(row)) : ALONE));
  }

  private async changeAll(rows: readonly UserRow[]): Promise<Result[]> {
    if (rows.length === 1) return [await this.writeOne(rows[0], change)];
    // One statement changes a user once.
    const first = new Map(rows.toReversed().map((row) => [keyOf(row), row]));
    const users = await this.write([...first.values()], changeOfFree).catch(refusalOf(rows));
    return rows.map((row) => (first.get(keyOf(row)) === row && users?.get(keyOf(row))) || ALONE);
  }

  private async writeOne(row: UserRow, statement: Write): Promise<User | undefined> {
    return (await this.write([row], statement)).get(keyOf(row));
  }

  private async write(rows: readonly UserRow[], statement: Write): Promise<Map<string, User>> {
    const words = wordsOfRows(rows, this.knownWords.isNew);
    const asked: Promise<User[]> = retryRolledBack(() =>
      this.dataSource.query(...statement(this.dataSource, rows, words)),
    );
    this.underWay = asked.catch(() => {});
    const users = await asked;
    this.knownWords.remember(words);
    return new Map(users.map((user) => [keyOf(user), user]));
  }
}

const keyOf = ({ organizationId, id }: UserKey) => `${organizationId} ${id}`;

/** What takes the indexes of the search long keeps nobody else waiting. */
const isHeavy = ({ columns }: UserRow) => String(columns.metadata_words ?? '').length > 1_000;

/** Nothing where the server has refused several together; one alone, or any other failure, it would not take either. */
const refusalOf = (rows: readonly UserRow[]) => (error: unknown) => {
  if (rows.length === 1 || !wasRefused(error)) throw error;
};
