/** The maximum pause: work that was slow because the database was overloaded may be fast the next time. */
const MAX_PAUSE_MS = 10_000;

/** Runs work for at most a share of the time: work that took long is skipped for a while. */
export class TimeShare {
  private notBefore = 0;

  constructor(private readonly share: number) {}

  async run(work: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    if (startedAt < this.notBefore) return;
    await work();
    const took = performance.now() - startedAt;
    this.notBefore = startedAt + took + Math.min(took / this.share - took, MAX_PAUSE_MS);
  }
}
