import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { Background } from '../../background/background';
import { describeError } from '../../database/errors';
import { EventNumbering } from '../event-numbering';
import { CLAIMED_FOR_MS, type Claim, EventCursors } from './event-cursors';
import { type Subscriber, SUBSCRIBERS } from './subscriber';

const LOOK_EVERY_MS = 500;

/** A look at all organizations takes at most this share of the time, however many there are. */
const LOOKING_SHARE = 1 / 20;

/** How many organizations a process delivers to one subscriber at once. */
const ORGANIZATIONS_AT_ONCE = 10;

/** After this many reads an organization lets others go first. */
const READS_PER_CLAIM = 10;

/** A shutdown waits no longer for a handler, whose event is then delivered again. */
const MAX_DRAIN_MS = 10_000;

const SECONDS = 1_000;
const MINUTES = 60 * SECONDS;
const HOURS = 60 * MINUTES;

/** The pauses after the first failure, the second and so on. The last one stays. */
const PAUSES = [
  5 * SECONDS,
  5 * MINUTES,
  30 * MINUTES,
  2 * HOURS,
  5 * HOURS,
  10 * HOURS,
  14 * HOURS,
  20 * HOURS,
  24 * HOURS,
];

/**
 * Delivers events to the subscribers of a host. A process claims the events of an organization for a subscriber, renews the claim
 * while it works, and stores the position after each event, so that none is left out, whatever happens to the process.
 */
@Injectable()
export class EventDelivery implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Subscribers');
  private readonly inProgress = new Map<string, Promise<void>>();
  private readonly stop = new AbortController();
  private isRegistered = false;
  private isDrained = false;
  private notBefore = 0;

  constructor(
    @Inject(SUBSCRIBERS) private readonly subscribers: readonly Subscriber[],
    private readonly cursors: EventCursors,
    private readonly numbering: EventNumbering,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    if (this.subscribers.length === 0) return;
    const run = (signal: AbortSignal) => this.look(signal);
    this.background.add({ name: 'deliver events to subscribers', everyMs: LOOK_EVERY_MS, run });
  }

  /** Also without background work, so that nothing is missed if this process is the first to start. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.subscribers.length === 0) return;
    await this.register().catch((error: unknown) =>
      this.warn('cannot register subscribers; it will be tried again', { error }),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    const drained = Promise.all(this.inProgress.values());
    await Promise.race([drained, sleep(MAX_DRAIN_MS, undefined, { ref: false })]);
    this.isDrained = true;
  }

  private async register(): Promise<void> {
    await this.numbering.numberAll(this.stop.signal);
    await this.cursors.register(this.subscribers.map(({ name }) => name));
    this.isRegistered = true;
  }

  /** Starts to deliver what is new. It does not wait for handlers, because a slow one must not hold up other organizations. */
  private async look(signal: AbortSignal): Promise<void> {
    if (!this.isRegistered) await this.register();
    await this.numbering.numberAll(signal);
    if (performance.now() < this.notBefore) return;
    const startedAt = performance.now();
    for (const subscriber of this.subscribers) {
      const key = (organizationId: string) => `${subscriber.name} ${organizationId}`;
      const working = [...this.inProgress.keys()].filter((name) => name.startsWith(key(''))).length;
      if (working >= ORGANIZATIONS_AT_ONCE) continue;
      for (const organizationId of await this.cursors.due(subscriber.name, ORGANIZATIONS_AT_ONCE - working)) {
        if (this.stop.signal.aborted || this.inProgress.has(key(organizationId))) continue;
        const delivery = this.deliver(subscriber, organizationId)
          .catch((error: unknown) => this.warn('cannot deliver events; it will be tried again', { error }))
          .finally(() => this.inProgress.delete(key(organizationId)));
        this.inProgress.set(key(organizationId), delivery);
      }
    }
    this.notBefore = startedAt + (performance.now() - startedAt) / LOOKING_SHARE;
  }

  private async deliver(subscriber: Subscriber, organizationId: string): Promise<void> {
    const claim = await this.cursors.claim(subscriber.name, organizationId);
    if (!claim) return;
    let renewed: Promise<unknown> = Promise.resolve();
    const renew = () => {
      if (!this.isDrained) renewed = this.cursors.update(claim, CLAIMED_FOR_MS).catch(() => {});
    };
    const timer = setInterval(renew, CLAIMED_FOR_MS / 3).unref();
    const pauseMs = await this.deliverClaimed(subscriber, claim).finally(() => clearInterval(timer));
    await renewed; // or it might end the pause
    await this.cursors.update(claim, pauseMs);
  }

  /** Returns after which time the next events may be claimed. */
  private async deliverClaimed(subscriber: Subscriber, claim: Claim): Promise<number> {
    const { organizationId } = claim;
    for (let read = 0; read < READS_PER_CLAIM; read++) {
      const events = await this.cursors.next(claim);
      if (events.length === 0) return 0;
      for (const event of events) {
        if (this.stop.signal.aborted) return 0;
        const isWanted = subscriber.types === undefined || subscriber.types.includes(event.type);
        try {
          if (isWanted) await subscriber.handle(event, { organizationId });
        } catch (error) {
          const failures = ++claim.failures;
          const message = 'a subscriber failed; it will get the event again';
          this.warn(message, {
            subscriber: subscriber.name,
            organizationId,
            eventId: event.id,
            failures,
            error,
          });
          return PAUSES[Math.min(failures, PAUSES.length) - 1];
        }
        claim.sequence = event.sequence;
        claim.failures = 0;
        if (isWanted && !(await this.cursors.update(claim, CLAIMED_FOR_MS))) return 0;
      }
    }
    return 0;
  }

  private warn(message: string, { error, ...rest }: { error: unknown; [name: string]: unknown }): void {
    this.logger.warn({ message, ...rest, error: describeError(error) });
  }
}
