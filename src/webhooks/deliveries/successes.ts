import type { Success } from './attempt-outcome';

/** Another five may be in a transaction. A process that dies leaves these ten, and they are sent again, in order. */
const MAX_WAITING = 5;
const MAX_WAIT_MS = 500;

/**
 * The successes of a turn. Several are recorded in one transaction, while the next event is sent: on a busy server a
 * transaction takes 100 ms, and the events of an ordered webhook would wait for one each. After a failure nothing more
 * is recorded, or a later event would count as delivered while an earlier one is sent again.
 */
export class Successes {
  private waiting: Success[] = [];
  private recorded = Promise.resolve();
  private timer?: NodeJS.Timeout;

  constructor(private readonly record: (successes: Success[]) => Promise<void>) {}

  /** Waits only for a transaction that takes longer than the next five events. */
  async add(success: Success): Promise<void> {
    this.waiting.push(success);
    const { recorded } = this;
    if (this.waiting.length >= MAX_WAITING) this.begin();
    else this.timer ??= setTimeout(() => this.begin(), MAX_WAIT_MS);
    if (this.waiting.length >= MAX_WAITING) await recorded;
  }

  /** Begins to record. A failure is that of the next flush as well. */
  private begin(): void {
    this.flush().catch(() => {});
  }

  /** Records all. Those that are added during a transaction share the next one. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.recorded = this.recorded.then(() => this.recordWaiting());
    return this.recorded;
  }

  private async recordWaiting(): Promise<void> {
    const successes = this.waiting.splice(0);
    if (successes.length > 0) await this.record(successes);
  }
}
