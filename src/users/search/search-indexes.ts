import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { describeError, sqlState } from '../../database/errors';
import { tableName } from '../../database/tables';

/** Users whose entries are sorted in together: of fewer it takes no less time, and of more the search has more to read. */
const MANY = 250;

/** As long as it is left to the requests where it was refused: a migration may be on its way. */
const REFUSED_MS = 60_000;

/**
 * Sorts into the indexes of the search what they have gathered, beside the requests. Else PostgreSQL does it in the
 * statement that fills them up, and whoever waits for that one waits for 0.1 s and more.
 */
export class SearchIndexes {
  private users = 0;
  private sorting = false;
  private notBefore = 0;

  constructor(private readonly dataSource: DataSource) {}

  /** So many users were written. */
  gathered(users: number): void {
    this.users += users;
    if (this.users < MANY || this.sorting || performance.now() < this.notBefore) return;
    this.users = 0;
    this.sorting = true;
    void this.sortIn().finally(() => {
      this.sorting = false;
      this.gathered(0);
    });
  }

  /** What it has done until it fails stays done: under much load it ends at the limit of time for a statement. */
  private async sortIn(): Promise<void> {
    await this.dataSource
      .query(`SELECT ${tableName(this.dataSource, 'ums_sort_in')}()`)
      .catch((error: unknown) => {
        // No such function, or no right to it.
        if (!/^42/.test(sqlState(error) ?? '')) return;
        this.notBefore = performance.now() + REFUSED_MS;
        new Logger('Search').warn({
          message: 'the search indexes are sorted by the requests that fill them up',
          error: describeError(error),
        });
      });
  }
}
