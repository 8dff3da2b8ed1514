import { setMaxListeners } from 'node:events';
import { Logger, ServiceUnavailableException } from '@nestjs/common';
import { type Claim, CLAIMED_FOR_MS } from '../database/claims';
import { databaseFailure, describeError } from '../database/errors';
import { atMost } from './at-most';
import { LIMITS } from '../fairness/limits';
import { TimeShare } from '../fairness/time-share';

/** How often a process looks for what is due. */
export const LOOK_EVERY_MS = 500;

/** A process works at an item for at least this long before it takes another one that waits. */
const TURN_MS = 1_000;

/** The rest of an item whose turn has failed. A rest longer than a claim would count as over. */
const FAILED_REST_MS = CLAIMED_FOR_MS;

/** How long a shutdown waits for what is in progress, and then for claims to be released. */
const MAX_DRAIN_MS = 9_000;
const RELEASE_MS = 1_000;

/** An item that is due. */
export interface Due {
  organizationId: string;
  /** Names it within its organization, unless that has one alone. */
  id?: string;
  /** Whether it took long the last time. Default: false. */
  isSlow?: boolean;
}

/** Work at an item. */
export interface Turn {
  /** Whether to stop: other items wait, or the process ends. To be asked between the steps of the work. */
  isOver(): boolean;
  /** Aborted when the process ends. */
  readonly stopped: AbortSignal;
  /** Aborted when it can wait no longer. */
  readonly abandoned: AbortSignal;
}

/** Work that waits in a table, for the process that claims it. */
export interface KindOfWork<Item extends Due, Held extends Claim> {
  /** For the log, as in "cannot <name>". */
  name: string;
  /** How many items a process works at. Slow and late ones have places of their own (`LIMITS`). */
  limit: { size: number; lateAfterMs: number };
  /** Up to `limit` items that no process has claimed and up to `slowLimit` slow ones, the longest waiting first. */
  due(limit: number, slowLimit: number): Promise<Item[]>;
  /** Undefined if another process was faster. */
  claim(item: Item): Promise<Held | undefined>;
  renew(claim: Held): Promise<unknown>;
  /**
   * Returns whether something is left that could be done now. What the release depends on, such as a pause, is kept in
   * the claim. An effect that `turn.abandoned` has cut off is not recorded. After an error, the item rests.
   */
  work(claim: Held, turn: Turn): Promise<boolean>;
  release(claim: Held): Promise<unknown>;
}

interface InProgress {
  isSlow: boolean;
  /** When its last step began. */
  stepAt: number;
  done: Promise<void>;
}

/**
 * Does work of one kind in this process. It claims an item, renews the claim while it works, and releases it; if the
 * process dies, the claim expires, and another process continues. No item waits for another one that takes long.
 */
export class ClaimedWork<Item extends Due, Held extends Claim> {
  private readonly logger = new Logger('Background');
  private readonly looking = new TimeShare(LIMITS.looking.size);
  private readonly inProgress = new Map<string, InProgress>();
  private readonly stop = new AbortController();
  private readonly abandon = new AbortController();
  private lookInProgress?: Promise<void>;
  /** Whether the last look may have left items, and slow ones, because their places are taken. */
  private othersWait = { fast: false, slow: false };

  constructor(private readonly kind: KindOfWork<Item, Held>) {
    setMaxListeners(0, this.abandon.signal); // each item may have some
  }

  /** Starts what is due. It waits for none of it. One look at a time: several would start too much together. */
  look(): Promise<void> {
    this.lookInProgress ??= this.looking
      .run(() => this.startDue())
      .finally(() => (this.lookInProgress = undefined));
    return this.lookInProgress;
  }

  /** Looks at once, because something may be due now. A failure is reported by the next regular look. */
  wake(): void {
    if (!this.stop.signal.aborted) this.look().catch(() => {});
  }

  /** Starts nothing more, and waits for what is in progress while the connections are still open. */
  async drain(): Promise<void> {
    this.stop.abort();
    const drained = Promise.all([...this.inProgress.values()].map(({ done }) => done));
    await atMost(MAX_DRAIN_MS, drained);
    this.abandon.abort();
    await atMost(RELEASE_MS, drained);
  }

  private async startDue(): Promise<void> {
    const items = [...this.inProgress.values()];
    const fast = items.filter(({ isSlow }) => !isSlow);
    const { size, lateAfterMs } = this.kind.limit;
    const lateBefore = performance.now() - lateAfterMs;
    const late = fast.filter(({ stepAt }) => stepAt < lateBefore).length;
    const limit = Math.max(0, size + Math.min(late, LIMITS.late.size) - fast.length);
    const slowLimit = Math.max(0, LIMITS.slow.size - (items.length - fast.length));
    const due = await this.kind.due(limit, slowLimit);
    const slowDue = due.filter(({ isSlow }) => isSlow).length;
    this.othersWait = { fast: due.length - slowDue >= limit, slow: slowDue >= slowLimit };
    for (const item of due) this.start(item);
  }

  private start(item: Item): void {
    const { organizationId, id = '', isSlow = false } = item;
    const key = `${organizationId} ${id}`;
    if (this.stop.signal.aborted || this.inProgress.has(key)) return;
    const entry = { isSlow, stepAt: performance.now(), done: Promise.resolve() };
    this.inProgress.set(key, entry);
    entry.done = this.workAt(item, entry)
      .then(
        (hasMore) => hasMore || this.doOthersWait(entry),
        (error: unknown) => {
          const message = `cannot ${this.kind.name}; it will be tried again`;
          this.logger.warn({ message, organizationId, id, error: describeError(error) });
          return false;
        },
      )
      .then((looksAgain) => {
        this.inProgress.delete(key);
        if (looksAgain) this.wake();
      });
  }

  private async workAt(item: Item, entry: InProgress): Promise<boolean> {
    const claim = await this.kind.claim(item);
    if (!claim) return false;
    let renewal: Promise<unknown> | undefined;
    const renew = () => {
      if (this.abandon.signal.aborted) return;
      renewal ??= this.kind
        .renew(claim)
        .catch(() => {})
        .finally(() => (renewal = undefined));
    };
    const timer = setInterval(renew, CLAIMED_FOR_MS / 3).unref();
    try {
      return await this.kind.work(claim, this.newTurn(entry));
    } catch (error) {
      if (!isPassing(error)) claim.restMs = FAILED_REST_MS;
      throw error;
    } finally {
      clearInterval(timer);
      await renewal; // or a late renewal could undo the release
      await this.kind.release(claim);
    }
  }

  private doOthersWait({ isSlow }: InProgress): boolean {
    return isSlow ? this.othersWait.slow : this.othersWait.fast;
  }

  private newTurn(entry: InProgress): Turn {
    const end = performance.now() + TURN_MS;
    return {
      isOver: () => {
        entry.stepAt = performance.now();
        return this.stop.signal.aborted || (this.doOthersWait(entry) && entry.stepAt >= end);
      },
      stopped: this.stop.signal,
      abandoned: this.abandon.signal,
    };
  }
}

/** Whether the next turn may succeed at once: the database was unavailable, or the organization's share was in use. */
const isPassing = (error: unknown): boolean =>
  databaseFailure(error) === 'unavailable' || error instanceof ServiceUnavailableException;
