import { setTimeout as sleep } from 'node:timers/promises';
import type { Lanes } from './lanes';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Larger statements are not faster and hold their locks longer. */
const MAX_ITEMS = 32;

/** Limits the wait for the statement in progress, which may itself wait for a lock. */
const MAX_WAIT_MS = 5;

/**
 * Gathers what is asked of one organization while a statement of it is in progress, and asks it in the next one. A statement
 * never holds two organizations, so nobody waits for, or fails because of, another tenant.
 */
export class Gathered<Item, Result> {
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();
  private readonly inProgress = new Map<string, Promise<unknown>>();

  /** `run` sends one statement in the lane of the writes, and returns the results in the order of the items. */
  constructor(
    private readonly lanes: Lanes,
    private readonly run: (organizationId: string, items: Item[]) => Promise<Result[]>,
  ) {}

  ask(organizationId: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const entry = { item, resolve, reject };
      const waiting = this.waiting.get(organizationId);
      if (waiting && waiting.length < MAX_ITEMS) {
        waiting.push(entry);
        return;
      }
      const next = [entry];
      this.waiting.set(organizationId, next);
      const turn = () => setImmediate(() => this.send(organizationId, next));
      void Promise.race([this.inProgress.get(organizationId), sleep(MAX_WAIT_MS)]).then(turn);
    });
  }

  private send(organizationId: string, entries: Waiting<Item, Result>[]): void {
    const close = () => {
      if (this.waiting.get(organizationId) === entries) this.waiting.delete(organizationId);
    };
    // More may join it until a connection is free.
    const statement = this.lanes.run('write', organizationId, () => {
      close();
      return this.run(
        organizationId,
        entries.map(({ item }) => item),
      );
    });
    const settled = statement.then(
      (results) => entries.forEach(({ resolve }, i) => resolve(results[i])),
      (error: unknown) => {
        close();
        entries.forEach(({ reject }) => reject(error));
      },
    );
    this.inProgress.set(organizationId, settled);
    void settled.then(() => {
      if (this.inProgress.get(organizationId) === settled) this.inProgress.delete(organizationId);
    });
  }
}
