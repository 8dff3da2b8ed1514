import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';

/** Anybody may ask, so the database is asked at most once in this time. */
const REUSED_MS = 1_000;

@Injectable()
export class HealthService {
  /** Shorter than the timeout of most probes, which is a few seconds. */
  answerTimeoutMs = 2_000;
  private starting = false;
  private draining = false;
  private answer?: Promise<string | undefined>;

  constructor(private readonly database: Database) {}

  /** Makes the service not ready until `started()`. */
  start(): void {
    this.starting = true;
  }

  started(): void {
    this.starting = false;
  }

  /** Makes the service not ready, so that it gets no new requests. */
  drain(): void {
    this.draining = true;
  }

  /** The reason why the service cannot take requests; undefined if it can. */
  async reasonNotReady(): Promise<string | undefined> {
    const shuttingDown = 'The service is shutting down.';
    if (this.draining) return shuttingDown;
    this.answer ??= this.askDatabase();
    const reason = await this.answer;
    if (this.draining) return shuttingDown;
    return reason ?? (this.starting ? 'The service is starting.' : undefined);
  }

  private askDatabase(): Promise<string | undefined> {
    const noAnswer = 'The database does not answer.';
    const answer = Promise.race([
      this.database.reasonUnusable().catch(() => noAnswer),
      sleep(this.answerTimeoutMs, noAnswer, { ref: false }),
    ]);
    const askAgain = () => (this.answer = undefined);
    void answer.then(() => setTimeout(askAgain, REUSED_MS).unref());
    return answer;
  }
}
