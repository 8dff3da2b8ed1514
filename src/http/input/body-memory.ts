import { ServiceUnavailableException } from '@nestjs/common';

/** A request that has waited longer for memory is refused. */
const MAX_QUEUE_MS = 5_000;

/** Node has already read up to 64 KB of each waiting request, so further ones are refused at once. */
const MAX_WAITING = { one: 32, all: 200 };

/** Once another organization has waited this long, older bodies give way. A good connection takes a tenth of it. */
const GIVE_WAY_MS = 2_000;

export interface Reservation {
  /** No other request can take the memory from now on. */
  hasArrived(): void;
  release(): void;
}

interface Body {
  organizationId: string;
  size: number;
  /** Set if the body has been stopped, and its memory will be released soon. */
  isEnding?: true;
}

interface Waiting extends Body {
  start(): void;
}

interface Arriving {
  since: number;
  /** Stops reading, and releases the memory soon. */
  stop(): void;
}

/** Limits the memory for the bodies of one organization's requests, and of all requests together. */
export class BodyMemory {
  private readonly held = new Map<string, number>();
  private total = 0;
  /** The part of the total that is about to be released. */
  private ending = 0;
  private readonly waiting = new Set<Waiting>();
  private readonly arriving = new Map<Body, Arriving>();

  constructor(private readonly limits: { one: number; all: number }) {}

  /** Reserves memory for a body, which `stop` ends if it must give way. Rejects with a 503 if there is none in time. */
  async reserve(organizationId: string, size: number, stop: () => void): Promise<Reservation> {
    const body: Body = { organizationId, size };
    if (this.fits(body)) this.add(organizationId, size);
    else await this.wait(body);
    this.arriving.set(body, { since: performance.now(), stop });
    return {
      hasArrived: () => void this.arriving.delete(body),
      release: () => {
        this.arriving.delete(body);
        this.release(body);
      },
    };
  }

  private wait(body: Body): Promise<void> {
    const { organizationId, size } = body;
    const own = [...this.waiting].filter((waiting) => waiting.organizationId === organizationId);
    if (own.length >= MAX_WAITING.one || this.waiting.size >= MAX_WAITING.all) throw noMemory();
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        clearInterval(way);
        this.waiting.delete(waiting);
      };
      const start = () => {
        end();
        this.add(organizationId, size);
        resolve();
      };
      const refuse = () => {
        end();
        reject(noMemory());
      };
      const waiting = { organizationId, size, start };
      const timer = setTimeout(refuse, MAX_QUEUE_MS).unref();
      const since = performance.now();
      const way = setInterval(() => this.stopSlow(body, since), GIVE_WAY_MS).unref();
      this.waiting.add(waiting);
    });
  }

  /** Stops bodies of other organizations that began before a body within the limit of its own organization waited. */
  private stopSlow(body: Body, since: number): void {
    if (!this.fitsOwnLimit(body)) return;
    let missing = this.total - this.ending + body.size - this.limits.all;
    for (const [slow, { since: begun, stop }] of this.arriving) {
      if (missing <= 0) return;
      if (slow.organizationId === body.organizationId || begun > since) continue;
      this.arriving.delete(slow);
      slow.isEnding = true;
      this.ending += slow.size;
      stop();
      missing -= slow.size;
    }
  }

  private release({ organizationId, size, isEnding }: Body): void {
    this.add(organizationId, -size);
    if (isEnding) this.ending -= size;
    // Organizations that hold less come first.
    const byHeld = [...this.waiting].sort(
      (a, b) => this.heldBy(a.organizationId) - this.heldBy(b.organizationId),
    );
    for (const waiting of byHeld) if (this.fits(waiting)) waiting.start();
  }

  private fits(body: Body): boolean {
    return this.fitsOwnLimit(body) && this.total + body.size <= this.limits.all;
  }

  private fitsOwnLimit({ organizationId, size }: Body): boolean {
    return this.heldBy(organizationId) + size <= this.limits.one;
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

const noMemory = () => new ServiceUnavailableException('Too many large requests are in progress. Try again.');
