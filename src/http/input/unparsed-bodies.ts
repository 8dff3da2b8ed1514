/** A body of which some bytes may be in memory: as many as have arrived, once it is read. */
export interface UnparsedBody {
  owner: string;
  bytes: number;
  stop(): void;
}

/**
 * Limits the bytes of bodies that wait or arrive. Nobody waits for them: beyond the limit, the owner that holds the
 * most loses the body that is the oldest, so bodies that stall cost only those who send many.
 */
export class UnparsedBodies {
  /** Oldest first. */
  private readonly bodies = new Set<UnparsedBody>();
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** Counts the body with this size from now on. */
  set(body: UnparsedBody, bytes: number): void {
    this.count(body, bytes - (this.bodies.has(body) ? body.bytes : 0));
    body.bytes = bytes;
    this.bodies.add(body);
    while (this.total > this.limit) this.stopOne();
  }

  delete(body: UnparsedBody): void {
    if (this.bodies.delete(body)) this.count(body, -body.bytes);
  }

  private stopOne(): void {
    let most = 0;
    for (const bytes of this.held.values()) most = Math.max(most, bytes);
    for (const body of this.bodies) {
      if (this.held.get(body.owner) !== most) continue;
      this.delete(body);
      return body.stop();
    }
  }

  private count({ owner }: UnparsedBody, bytes: number): void {
    this.total += bytes;
    const held = (this.held.get(owner) ?? 0) + bytes;
    if (held > 0) this.held.set(owner, held);
    else this.held.delete(owner);
  }
}
