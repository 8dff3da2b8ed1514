import type { EntityManager } from 'typeorm';
import { isTimedOut } from '../../platform/database/errors';
import { query, sql } from '../../platform/database/sql';
import { unavailable } from '../../platform/http/fault';
import type { SearchScope } from './page';

/** The server learns how much time is left only after so much is gone, so fast searches send no statement for it. */
const WORTH_TELLING_MS = 250;

/** The time of one search: of all its statements, including those that are repeated on another connection. */
export class SearchTime {
  private usedMs = 0;

  constructor(private readonly maxMs: number) {}

  get leftMs(): number {
    return Math.max(1, Math.ceil(this.maxMs - this.usedMs));
  }

  /**
   * Runs statements within the time. `limitMs` is the limit for each in the transaction of the manager; without it, the
   * time is only checked between them.
   */
  runner(manager: EntityManager, limitMs?: number): SearchScope['run'] {
    return async (statement) => {
      if (this.usedMs >= this.maxMs) throw tooLong();
      const started = performance.now();
      try {
        if (limitMs !== undefined && limitMs - this.leftMs >= WORTH_TELLING_MS) {
          limitMs = this.leftMs;
          await query(manager, sql`SELECT set_config('statement_timeout', ${String(limitMs)}, true)`);
        }
        return await query(manager, statement);
      } catch (error) {
        throw isTimedOut(error) ? tooLong() : error;
      } finally {
        this.usedMs += performance.now() - started;
      }
    };
  }
}

const tooLong = () => unavailable('The search takes too long. Search for fewer, longer or rarer words.');
