/** The maximum pause, so that what is due is found within two seconds on a busy server, too. */
const MAX_PAUSE_MS = 1_000;

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
