/** Counts what each owner holds of something that is limited. */
export class Quota {
  private readonly held = new Map<string, number>();
  private total = 0;

  /** `size` limits all owners together, `share` each of them; `free` is as much as is free before it comes. */
  constructor(
    private readonly size: number,
    private readonly share: number | 'free',
  ) {}

  get isFull(): boolean {
    return this.total >= this.size;
  }

  get isExceeded(): boolean {
    return this.total > this.size;
  }

  heldBy(owner: string): number {
    return this.held.get(owner) ?? 0;
  }

  /** Whether there is room for `cost` in the shares of all these owners, who hold it together. */
  hasRoom(owners: readonly string[], cost: number): boolean {
    const free = this.size - this.total;
    const share = this.share === 'free' ? free : this.share;
    return cost <= free && owners.every((owner) => this.heldBy(owner) + cost <= share);
  }

  /** A negative cost gives back. */
  add(owners: readonly string[], cost: number): void {
    this.total += cost;
    for (const owner of owners) {
      const held = this.heldBy(owner) + cost;
      if (held > 0) this.held.set(owner, held);
      else this.held.delete(owner);
    }
  }

  /** The most that a single owner holds. */
  most(): number {
    let most = 0;
    for (const held of this.held.values()) most = Math.max(most, held);
    return most;
  }
}
