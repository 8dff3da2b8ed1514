import type { Limit } from './limits';
import { Quota } from './quota';

/** What an owner keeps in memory. */
export interface Held {
  owner: string;
  /** Its present size. */
  size(): number;
  /** Ends it, because others need the room. */
  evict(): void;
}

/**
 * Limits something that nobody waits for, because it is there already. When there is too much, the owner that holds the
 * most loses its oldest at once, so whatever stalls costs only the owner of much of it.
 */
export class EvictingBulkhead {
  private readonly quota: Quota;
  /** Oldest first, with the sizes that are counted. */
  private readonly sizes = new Map<Held, number>();

  constructor({ size = Infinity }: Limit) {
    this.quota = new Quota(size, Infinity);
  }

  add(held: Held): void {
    this.sizes.set(held, 0);
    this.resized(held);
  }

  /** To be called when something has grown. That it has shrunk is noticed when there seems to be too much. */
  resized(held: Held): void {
    this.count(held);
    if (this.quota.isExceeded) for (const one of this.sizes.keys()) this.count(one);
    while (this.quota.isExceeded) this.evictOne();
  }

  delete(held: Held): void {
    this.quota.add([held.owner], -(this.sizes.get(held) ?? 0));
    this.sizes.delete(held);
  }

  private count(held: Held): void {
    const counted = this.sizes.get(held);
    if (counted === undefined) return; // evicted
    const size = held.size();
    this.quota.add([held.owner], size - counted);
    this.sizes.set(held, size);
  }

  private evictOne(): void {
    const most = this.quota.most();
    for (const held of this.sizes.keys()) {
      if (this.quota.heldBy(held.owner) !== most) continue;
      this.delete(held);
      return held.evict();
    }
  }
}
