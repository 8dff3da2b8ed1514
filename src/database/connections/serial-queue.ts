/** Runs tasks with the same key one after the other. */
export class SerialQueue {
  private readonly last = new Map<string, Promise<unknown>>();

  enqueue<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.last.get(key);
    const result = before ? before.then(task) : task();
    const settled = result.catch(() => {});
    this.last.set(key, settled);
    void settled.then(() => {
      if (this.last.get(key) === settled) this.last.delete(key);
    });
    return result;
  }
}
