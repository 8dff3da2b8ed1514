import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFailure } from '../../../platform/database/errors';
import { count, counted } from '../progress';
import type { Cursor } from './cursor';
import type { Follower } from './follower';
import type { Output } from './output';

const LOOK_EVERY_MS = 1_000;

/** How often it says how far it has got, while it is behind and otherwise. */
const REPORT_EVERY_MS = { behind: 10_000, upToDate: 60_000 };

/** Prints what there is, and then what happens, until the signal. */
export class Rounds {
  private reported = 0;
  private reportedAt = -Infinity;

  constructor(
    private readonly follower: Follower,
    private readonly cursor: Cursor,
    private readonly output: Output,
    private readonly say: (line: string) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** Ends with the newest event. */
  async printAll(): Promise<void> {
    await this.follower.numberAll();
    await this.follower.look();
    await this.printUntil(Infinity);
    this.say(`${counted(this.follower.printed, 'event')} printed.`);
  }

  async followAll(): Promise<void> {
    let isOutage = false;
    while (!this.signal.aborted) {
      const nextLookAt = performance.now() + LOOK_EVERY_MS;
      try {
        await this.output.requireReader();
        await this.follower.look();
        await this.printUntil(nextLookAt);
        isOutage = false;
      } catch (error) {
        if (databaseFailure(error) !== 'unavailable') throw error;
        if (!isOutage) this.say('The database is not available. Waiting for it …');
        isOutage = true;
      }
      await sleep(Math.max(0, nextLookAt - performance.now()));
    }
  }

  private async printUntil(time: number): Promise<void> {
    let hasMore = true;
    while (hasMore && !this.signal.aborted && performance.now() < time) {
      this.report();
      hasMore = await this.follower.printSome();
      this.cursor.storeIfDue();
    }
  }

  private report(): void {
    const { printed, behind } = this.follower;
    const pause = behind > 0 ? REPORT_EVERY_MS.behind : REPORT_EVERY_MS.upToDate;
    if ((behind === 0 && printed === this.reported) || performance.now() < this.reportedAt + pause) return;
    this.say(`${counted(printed, 'event')} printed, ${count(behind)} to go.`);
    this.reported = printed;
    this.reportedAt = performance.now();
  }
}
