import { ServiceUnavailableException } from '@nestjs/common';

/** A request that has waited longer for room is refused. */
const MAX_WAIT_MS = 5_000;

/** Node has read up to 64 KB of a request that waits, so more of them are refused at once. */
const MAX_WAITING = { one: 32, all: 200 };

interface Waiting {
  organizationId: string;
  size: number;
  start: () => void;
}

/** Limits what the bodies of one organization's requests, and of all requests together, may take of the memory. */
export class BodyRoom {
  private readonly held = new Map<string, number>();
  private total = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly limits: { one: number; all: number }) {}

  /** Takes room, and returns what gives it back. Rejects with a 503 if there is none in time. */
  async take(organizationId: string, size: number): Promise<() => void> {
    if (this.hasRoom(organizationId, size)) this.add(organizationId, size);
    else await this.wait(organizationId, size);
    return () => this.give(organizationId, size);
  }

  private wait(organizationId: string, size: number): Promise<void> {
    const own = [...this.waiting].filter((waiting) => waiting.organizationId === organizationId);
    if (own.length >= MAX_WAITING.one || this.waiting.size >= MAX_WAITING.all) throw noRoom();
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        this.add(organizationId, size);
        resolve();
      };
      const refuse = () => {
        this.waiting.delete(waiting);
        reject(noRoom());
      };
      const waiting = { organizationId, size, start };
      const timer = setTimeout(refuse, MAX_WAIT_MS).unref();
      this.waiting.add(waiting);
    });
  }

  private give(organizationId: string, size: number): void {
    this.add(organizationId, -size);
    // Organizations that hold less come first.
    const byHeld = [...this.waiting].sort(
      (a, b) => this.heldBy(a.organizationId) - this.heldBy(b.organizationId),
    );
    for (const { organizationId, size, start } of byHeld) if (this.hasRoom(organizationId, size)) start();
  }

  private hasRoom(organizationId: string, size: number): boolean {
    return this.heldBy(organizationId) + size <= this.limits.one && this.total + size <= this.limits.all;
  }

  private heldBy(organizationId: string): number {
    return this.held.get(organizationId) ?? 0;
  }

  private add(organizationId: string, size: number): void {
    this.total += size;
    const held = this.heldBy(organizationId) + size;
    if (held > 0) this.held.set(organizationId, held);
    else this.held.delete(organizationId);
  }
}

const noRoom = () => new ServiceUnavailableException('Too many large requests are in progress. Try again.');
