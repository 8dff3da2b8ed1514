import { ServiceUnavailableException } from '@nestjs/common';

/** A request that has waited longer for room is refused. */
const MAX_WAIT_MS = 5_000;

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
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        this.waiting.delete(waiting);
        this.add(organizationId, size);
        resolve();
      };
      const refuse = () => {
        this.waiting.delete(waiting);
        reject(new ServiceUnavailableException('Too many large requests are in progress. Try again.'));
      };
      const waiting = { organizationId, size, start };
      const timer = setTimeout(refuse, MAX_WAIT_MS).unref();
      this.waiting.add(waiting);
    });
  }

  private give(organizationId: string, size: number): void {
    this.add(organizationId, -size);
    for (const { organizationId, size, start } of this.waiting)
      if (this.hasRoom(organizationId, size)) start();
  }

  private hasRoom(organizationId: string, size: number): boolean {
    const held = this.held.get(organizationId) ?? 0;
    return held + size <= this.limits.one && this.total + size <= this.limits.all;
  }

  private add(organizationId: string, size: number): void {
    this.total += size;
    const held = (this.held.get(organizationId) ?? 0) + size;
    if (held > 0) this.held.set(organizationId, held);
    else this.held.delete(organizationId);
  }
}
