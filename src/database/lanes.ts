import { ServiceUnavailableException } from '@nestjs/common';
import type { DataSource } from 'typeorm';

/**
 * What a statement may cost others: `quick` waits for nothing, `write` may wait for a lock of another transaction, and `heavy`
 * keeps the server busy.
 */
export type Lane = 'quick' | 'write' | 'heavy';

const LANES: Lane[] = ['quick', 'write', 'heavy'];

/**
 * The shares of the connections that all organizations together, and one of them, may hold. All lanes leave some to the
 * look-ups of tokens and the rate limit of a plain database, which take no lane; writes and heavy statements together leave some to quick ones.
 */
const SHARES = {
  total: { all: 0.9, one: 0.5 },
  quick: { all: 0.9, one: 0.5 },
  write: { all: 0.4, one: 0.2 },
  heavy: { all: 0.3, one: 0.2 },
};

/** How many statements of an organization may wait in a lane: what a token may ask in a minute, all at once. */
const MAX_WAITING = 1_000;

/** A statement that has waited longer is refused. */
const MAX_WAIT_MS = 10_000;

/**
 * Shares the connections of the pool among the organizations, so that none holds up another, whatever its statements wait
 * for. An organization whose share is in use waits for its own statements; organizations that wait take turns.
 */
export class Lanes {
  private readonly limits: typeof SHARES;
  private readonly held = new Map<string, number>();
  private readonly waiting: Record<Lane, Map<string, (() => void)[]>> = {
    quick: new Map(),
    write: new Map(),
    heavy: new Map(),
  };
  private turn = 0;

  /** `connections` is the part of the pool that the service may use. */
  constructor(connections: number) {
    const limit = (share: number) => Math.max(1, Math.floor(connections * share));
    const limits = Object.entries(SHARES).map(([name, { all, one }]) => [
      name,
      { all: limit(all), one: limit(one) },
    ]);
    this.limits = Object.fromEntries(limits) as typeof SHARES;
  }

  /**
   * Runs a task, which may use one connection, and no lane itself. Rejects with a 503 if too much of the organization waits
   * already, or if the task has waited for too long.
   */
  async run<Result>(lane: Lane, organizationId: string, task: () => Promise<Result>): Promise<Result> {
    if (!this.take(lane, organizationId)) await this.wait(lane, organizationId);
    try {
      return await task();
    } finally {
      this.give(lane, organizationId);
    }
  }

  private wait(lane: Lane, organizationId: string): Promise<void> {
    const queue = this.waiting[lane].get(organizationId) ?? [];
    if (queue.length >= MAX_WAITING) throw overloaded();
    this.waiting[lane].set(organizationId, queue);
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const refuse = () => {
        queue.splice(queue.indexOf(start), 1);
        if (queue.length === 0) this.waiting[lane].delete(organizationId);
        reject(overloaded());
      };
      const timer = setTimeout(refuse, MAX_WAIT_MS).unref();
      queue.push(start);
    });
  }

  /** False if the lane or the organization has no connection left. */
  private take(lane: Lane, organizationId: string): boolean {
    const counts = this.countsOf(lane, organizationId);
    if (counts.some(({ name, limit }) => this.count(name) >= limit)) return false;
    for (const { name } of counts) this.held.set(name, this.count(name) + 1);
    return true;
  }

  private give(lane: Lane, organizationId: string): void {
    for (const { name } of this.countsOf(lane, organizationId)) {
      if (this.count(name) > 1) this.held.set(name, this.count(name) - 1);
      else this.held.delete(name);
    }
    // The lanes take turns, too: where they share a single connection, a lane that never empties would keep it.
    this.turn++;
    for (let i = 0; i < LANES.length; i++) this.startWaiting(LANES[(this.turn + i) % LANES.length]);
  }

  /** Passes over few organizations, because each of those holds a connection. */
  private startWaiting(lane: Lane): void {
    for (const [organizationId, queue] of this.waiting[lane]) {
      if (this.isFull(lane)) return;
      if (!this.take(lane, organizationId)) continue;
      const start = queue.shift()!;
      this.waiting[lane].delete(organizationId);
      if (queue.length > 0) this.waiting[lane].set(organizationId, queue); // behind the others
      start();
    }
  }

  private isFull(lane: Lane): boolean {
    return this.count('total') >= this.limits.total.all || this.count(lane) >= this.limits[lane].all;
  }

  private count(name: string): number {
    return this.held.get(name) ?? 0;
  }

  private countsOf(lane: Lane, organizationId: string) {
    const { total, [lane]: own } = this.limits;
    return [
      { name: 'total', limit: total.all },
      { name: lane, limit: own.all },
      { name: `total ${organizationId}`, limit: total.one },
      { name: `${lane} ${organizationId}`, limit: own.one },
    ];
  }
}

/** The size of the data source's pool. */
export const poolSizeOf = (dataSource: DataSource): number =>
  (dataSource.driver as unknown as { master: { options: { max: number } } }).master.options.max;

const overloaded = () =>
  new ServiceUnavailableException('Too many requests of the organization are in progress. Try again.');
