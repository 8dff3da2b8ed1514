/**
 * Lets a limited number of tasks run at once, and few of one owner. Those that wait take turns: next is one whose owner
 * has the fewest in progress. A task that takes longer than `lateAfterMs` goes on without its slot.
 */
export class Slots {
  private readonly taken = new Map<string, number>();
  private readonly waiting = new Set<{ owner: string; start: () => void }>();

  constructor(
    private free: number,
    private readonly perOwner: number,
    private readonly lateAfterMs?: number,
  ) {}

  async run<Result>(owner: string, task: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((start) => {
      this.waiting.add({ owner, start });
      this.startNext();
    });
    let give = () => {
      give = () => {};
      this.change(owner, -1);
      this.startNext();
    };
    const timer = this.lateAfterMs === undefined ? undefined : setTimeout(() => give(), this.lateAfterMs);
    try {
      return await task();
    } finally {
      clearTimeout(timer);
      give();
    }
  }

  private startNext(): void {
    if (this.free === 0) return;
    const count = (owner: string) => this.taken.get(owner) ?? 0;
    let next: { owner: string; start: () => void } | undefined;
    for (const one of this.waiting) {
      if (count(one.owner) < this.perOwner && (!next || count(one.owner) < count(next.owner))) next = one;
      if (next && count(next.owner) === 0) break;
    }
    if (!next) return;
    this.waiting.delete(next);
    this.change(next.owner, 1);
    next.start();
  }

  private change(owner: string, by: 1 | -1): void {
    const count = (this.taken.get(owner) ?? 0) + by;
    this.free -= by;
    if (count > 0) this.taken.set(owner, count);
    else this.taken.delete(owner);
  }
}
