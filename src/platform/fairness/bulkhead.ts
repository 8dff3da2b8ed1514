import { ServiceUnavailableException } from '@nestjs/common';
import type { Limit } from './limits';
import { Quota } from './quota';

export interface Entry {
  /** How much of the bulkhead it takes. Default: 1. */
  cost?: number;
  /** The class that it belongs to, whose limit then holds, too. */
  class?: string;
  /** A group of owners that also has the share of one. */
  group?: string;
  /** Aborted when it no longer wants to enter. */
  signal?: AbortSignal;
}

interface Class {
  limit: Limit;
  quotas: Quota[];
}

interface Place {
  owner: string;
  group?: string;
  cost: number;
  quotas: Quota[];
}

interface Waiting {
  place: Place;
  start(): void;
}

/**
 * Shares something among owners, so that none can take all of it. Those that find no room wait in a queue for each
 * owner and class. These take turns, whatever their owners hold: one with a long task does not wait for all others.
 */
export class Bulkhead {
  private readonly quota: Quota;
  private readonly others: Class;
  private readonly classes: Record<string, Class>;
  /** The queue whose last turn is the longest ago comes first. */
  private readonly queues = new Map<string, Waiting[]>();

  constructor(
    private readonly limit: Limit,
    classes: Record<string, Limit> = {},
  ) {
    const quotaOf = ({ size = Infinity, share = Infinity }: Limit) => new Quota(size, share);
    this.quota = quotaOf(limit);
    this.others = { limit, quotas: [this.quota] };
    const classOf = (limit: Limit) => ({ limit, quotas: [this.quota, quotaOf(limit)] });
    this.classes = Object.fromEntries(Object.entries(classes).map(([name, of]) => [name, classOf(of)]));
  }

  /** Runs a task inside. One that takes longer than `lateAfterMs` leaves its place to others and goes on. */
  async run<Result>(owner: string, task: () => Promise<Result>, entry?: Entry): Promise<Result> {
    const leave = await this.enter(owner, entry);
    const { lateAfterMs } = this.limit;
    const timer = lateAfterMs === undefined ? undefined : setTimeout(leave, lateAfterMs);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  /**
   * Waits for room, and returns the function that leaves again. Rejects with a 503 if there is none in time or if too
   * many of the owner wait, and with the reason of the signal if that is aborted.
   */
  async enter(owner: string, entry: Entry = {}): Promise<() => void> {
    const { cost = 1, class: name = '', group, signal } = entry;
    signal?.throwIfAborted();
    const { limit, quotas } = this.classes[name] ?? this.others;
    const place = { owner, group, cost, quotas };
    if (hasRoom(place)) count(place, cost);
    else await this.wait(`${name} ${owner}`, place, limit, signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      count(place, -cost);
      this.startWaiting();
    };
  }

  private wait(key: string, place: Place, limit: Limit, signal?: AbortSignal): Promise<void> {
    const { whenFull, patienceMs, maxWaiting = Infinity, refusal } = limit;
    const refused = () =>
      new ServiceUnavailableException({ statusCode: 503, code: 'unavailable', message: refusal });
    const queue = this.queues.get(key) ?? [];
    if (whenFull === 'refuse' || queue.length >= maxWaiting) throw refused();
    this.queues.set(key, queue);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', refuse);
      };
      const start = () => {
        end();
        resolve();
      };
      const waiting = { place, start };
      const refuse = () => {
        end();
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.queues.delete(key);
        reject(signal?.aborted ? signal.reason : refused());
        this.startWaiting(); // what is behind it may be smaller
      };
      const timer = patienceMs === undefined ? undefined : setTimeout(refuse, patienceMs).unref();
      signal?.addEventListener('abort', refuse);
      queue.push(waiting);
    });
  }

  private startWaiting(): void {
    for (let key = this.next(); key !== undefined; key = this.next()) {
      const queue = this.queues.get(key)!;
      const { place, start } = queue.shift()!;
      this.queues.delete(key);
      if (place.group !== undefined) this.moveBehind(place.group);
      if (queue.length > 0) this.queues.set(key, queue); // behind the others
      count(place, place.cost);
      start();
    }
  }

  /** The queue whose turn it is, if there is room for what waits first in it. */
  private next(): string | undefined {
    if (this.quota.isFull) return undefined;
    for (const [key, [{ place }]] of this.queues) if (hasRoom(place)) return key;
    return undefined;
  }

  /** Groups take turns, too, however many owners of each wait. */
  private moveBehind(group: string): void {
    for (const [key, queue] of [...this.queues]) {
      if (queue[0].place.group !== group) continue;
      this.queues.delete(key);
      this.queues.set(key, queue);
    }
  }
}

const hasRoom = (place: Place) => place.quotas.every((quota) => quota.hasRoom(ownersOf(place), place.cost));

function count(place: Place, cost: number): void {
  for (const quota of place.quotas) quota.add(ownersOf(place), cost);
}

const ownersOf = ({ owner, group }: Place) => (group === undefined ? [owner] : [owner, group]);
