import { ServiceUnavailableException } from '@nestjs/common';

/** A request that has waited longer for room is refused. */
const MAX_QUEUE_MS = 5_000;

/** Node has already read up to 64 KB of each waiting request, so further ones are refused at once. */
const MAX_WAITING = { one: 32, all: 200 };

/** When another organization has waited this long, bodies that were arriving before give way. A good connection takes a tenth of it. */
const GIVE_WAY_MS = 2_000;

export interface Room {
  /** No other request can take the room from now on. */
  hasArrived(): void;
  giveBack(): void;
}

interface Place {
  organizationId: string;
  size: number;
  /** Set if the body has been stopped, and its room will be given back soon. */
  isEnding?: true;
}

interface Waiting extends Place {
  start(): void;
}

interface Arriving {
  since: number;
  /** Stops reading, and gives the room back soon. */
  stop(): void;
}

/** Limits the memory for the bodies of one organization's requests, and of all requests together. */
export class BodyRoom {
  private readonly held = new Map<string, number>();
  private total = 0;
  /** How much of the total is about to be given back. */
  private ending = 0;
  private readonly waiting = new Set<Waiting>();
  private readonly arriving = new Map<Place, Arriving>();

  constructor(private readonly limits: { one: number; all: number }) {}

  /** Takes room for a body, which `stop` ends if it must give way. Rejects with a 503 if there is none in time. */
  async take(organizationId: string, size: number, stop: () => void): Promise<Room> {
    const place: Place = { organizationId, size };
    if (this.hasRoom(place)) this.add(organizationId, size);
    else await this.wait(place);
    this.arriving.set(place, { since: performance.now(), stop });
    return {
      hasArrived: () => void this.arriving.delete(place),
      giveBack: () => {
        this.arriving.delete(place);
        this.give(place);
      },
    };
  }

  private wait(place: Place): Promise<void> {
    const { organizationId, size } = place;
    const own = [...this.waiting].filter((waiting) => waiting.organizationId === organizationId);
    if (own.length >= MAX_WAITING.one || this.waiting.size >= MAX_WAITING.all) throw noRoom();
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
        reject(noRoom());
      };
      const waiting = { organizationId, size, start };
      const timer = setTimeout(refuse, MAX_QUEUE_MS).unref();
      const since = performance.now();
      const way = setInterval(() => this.stopSlow(place, since), GIVE_WAY_MS).unref();
      this.waiting.add(waiting);
    });
  }

  /** Makes room for a request whose organization is within its limit, by stopping bodies of others that began before it waited. */
  private stopSlow(place: Place, since: number): void {
    if (!this.hasOwnRoom(place)) return;
    let missing = this.total - this.ending + place.size - this.limits.all;
    for (const [slow, body] of this.arriving) {
      if (missing <= 0) return;
      if (slow.organizationId === place.organizationId || body.since > since) continue;
      this.arriving.delete(slow);
      slow.isEnding = true;
      this.ending += slow.size;
      body.stop();
      missing -= slow.size;
    }
  }

  private give({ organizationId, size, isEnding }: Place): void {
    this.add(organizationId, -size);
    if (isEnding) this.ending -= size;
    // Organizations that hold less come first.
    const byHeld = [...this.waiting].sort(
      (a, b) => this.heldBy(a.organizationId) - this.heldBy(b.organizationId),
    );
    for (const waiting of byHeld) if (this.hasRoom(waiting)) waiting.start();
  }

  private hasRoom(place: Place): boolean {
    return this.hasOwnRoom(place) && this.total + place.size <= this.limits.all;
  }

  private hasOwnRoom({ organizationId, size }: Place): boolean {
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

const noRoom = () => new ServiceUnavailableException('Too many large requests are in progress. Try again.');
