import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { describeError, sqlState } from '../../database/errors';
import { tableName } from '../../database/tables';

/** Written users per merge. Merging fewer takes just as long; with more, searches have more pending entries to scan. */
const USERS_PER_MERGE = 250;

/** The pause after a merge. It takes long even for few users, and without a pause an import would have the database merge all the time. */
const PAUSE_MS = 250;

/** The pause after the database rejects a merge: the migration that creates the function may still be pending. */
const RETRY_AFTER_MS = 60_000;

/**
 * Merges the pending entries of the search's GIN indexes in the background. Otherwise PostgreSQL merges them in the
 * statement that fills the pending list, which delays that request by 0.1 s or more. On a cluster this merges nothing, and the
 * lists of the shards, each with a part of the users, are left to autovacuum: it would take a statement to all of its nodes.
 */
@Injectable()
export class SearchIndexes {
  private usersSinceMerge = 0;
  private isMerging = false;
  private notBefore = 0;

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {}

  /** Counts written users and starts a merge when there are enough. */
  countWrites(users: number): void {
    this.usersSinceMerge += users;
    if (this.usersSinceMerge < USERS_PER_MERGE || this.isMerging || performance.now() < this.notBefore)
      return;
    this.usersSinceMerge = 0;
    this.isMerging = true;
    void this.mergePendingEntries()
      .then(() => sleep(PAUSE_MS, undefined, { ref: false }))
      .finally(() => {
        this.isMerging = false;
        this.countWrites(0);
      });
  }

  /** A merge that fails, for example at the statement timeout under heavy load, keeps what it has merged so far. */
  private async mergePendingEntries(): Promise<void> {
    await this.dataSource
      .query(`SELECT ${tableName(this.dataSource, 'ums_sort_in')}()`)
      .catch((error: unknown) => {
        // Class 42: the function does not exist, or the role may not execute it.
        if (!/^42/.test(sqlState(error) ?? '')) return;
        this.notBefore = performance.now() + RETRY_AFTER_MS;
        new Logger('Search').warn({
          message: 'cannot merge pending search index entries in the background; writes will merge them',
          error: describeError(error),
        });
      });
  }
}
