import { ServiceUnavailableException } from '@nestjs/common';

/** A body as the rooms count it: a small one by its bytes, a large one as 1. */
export interface Guest {
  owner: string;
  size: number;
  /** How long the body may still wait for room, in all rooms together. */
  patienceMs: number;
  /** Aborted if the body has been stopped. */
  signal: AbortSignal;
}

interface Waiting {
  guest: Guest;
  start(): void;
}

/** Room for the bodies of one owner's requests, and of all requests together. */
export class Room {
  private readonly held = new Map<string, number>();
  private total = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly limits: { one: number; all: number }) {}

  /** Waits for room. Rejects with a 503 if there is none in time, and as soon as the body is stopped. */
  async enter(guest: Guest): Promise<void> {
    guest.signal.throwIfAborted();
    if (this.fits(guest)) this.add(guest, guest.size);
    else await this.wait(guest);
  }

  leave(guest: Guest): void {
    this.add(guest, -guest.size);
    // Owners that hold less come first.
    const byHeld = [...this.waiting].sort((a, b) => this.heldBy(a.guest) - this.heldBy(b.guest));
    for (const { guest: next, start } of byHeld) if (this.fits(next)) start();
  }

  private wait(guest: Guest): Promise<void> {
    const { signal } = guest;
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', refuse);
        this.waiting.delete(waiting);
        guest.patienceMs -= performance.now() - since;
      };
      const start = () => {
        end();
        this.add(guest, guest.size);
        resolve();
      };
      const refuse = () => {
        end();
        reject(signal.aborted ? signal.reason : noRoom());
      };
      const waiting = { guest, start };
      const timer = setTimeout(refuse, guest.patienceMs).unref();
      signal.addEventListener('abort', refuse);
      this.waiting.add(waiting);
    });
  }

  /** An owner may hold only as much as it leaves free, so there is always some room for another one. */
  private fits(guest: Guest): boolean {
    return this.heldBy(guest) + guest.size <= Math.min(this.limits.one, this.limits.all - this.total);
  }

  private heldBy({ owner }: Guest): number {
    return this.held.get(owner) ?? 0;
  }

  private add(guest: Guest, size: number): void {
    this.total += size;
    const held = this.heldBy(guest) + size;
    if (held > 0) this.held.set(guest.owner, held);
    else this.held.delete(guest.owner);
  }
}

export const noRoom = () =>
  new ServiceUnavailableException('Too many request bodies are in progress. Try again.');
