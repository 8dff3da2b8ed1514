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
import { TimeShare } from '../../background/time-share';
import { describeError } from '../../database/errors';
import { SERVICE_OPTIONS } from '../../feature/options.module';
import { type EventRecord, serializeEvent } from '../event/event.serializer';
import { EventNumbering } from '../log/event-numbering';
import { CLAIMED_FOR_MS, type DeliveryClaim, EventCursors } from './event-cursors';
import { pauseAfter } from '../../background/pauses';
import type { Subscriber, SubscribersOptions } from './subscriber';

export const LOOK_EVERY_MS = 500;

/** Looking for organizations with new events takes at most this share of the time, however many there are. */
export const LOOKING_SHARE = 1 / 20;

/** How many organizations' events a process delivers to one subscriber at the same time. */
const ORGANIZATIONS_AT_ONCE = 10;

/** A handler that takes longer is logged and frees its slot for another organization, up to `MAX_LATE` of them. */
const LATE_AFTER_MS = 60_000;
const MAX_LATE = 100;

/** After this many reads an organization goes to the back of the queue. */
const READS_PER_CLAIM = 10;

/** How long a shutdown waits for a handler. The event of one that takes longer is delivered again. */
export const MAX_DRAIN_MS = 10_000;

const slotKey = ({ name }: Subscriber, organizationId: string) => `${name} ${organizationId}`;

/**
 * Delivers events to the subscribers of a host. A process claims the events of an organization for a subscriber, renews
 * the claim while it works, and stores the position after each event, so that none is skipped if the process ends.
 */
@Injectable()
export class EventDelivery implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Subscribers');
  private readonly inProgress = new Map<string, Promise<void>>();
  private readonly late = new Set<string>();
  private readonly stop = new AbortController();
  private isRegistered = false;
  private isDrained = false;
  private readonly looking = new TimeShare(LOOKING_SHARE);
  private readonly subscribers: readonly Subscriber[];

  constructor(
    @Inject(SERVICE_OPTIONS) { subscribers = [] }: SubscribersOptions,
    private readonly cursors: EventCursors,
    private readonly numbering: EventNumbering,
    private readonly background: Background,
  ) {
    this.subscribers = subscribers;
  }

  onModuleInit(): void {
    if (this.subscribers.length === 0) return;
    const run = (signal: AbortSignal) => this.look(signal);
    this.background.add({ name: 'deliver events to subscribers', everyMs: LOOK_EVERY_MS, run });
  }

  /** Also when background work is off, so that nothing is missed if this process is the first to start. */
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

  /** Starts delivering new events. It does not wait for handlers: a slow one must not hold up other organizations. */
  private async look(signal: AbortSignal): Promise<void> {
    if (!this.isRegistered) await this.register();
    await this.numbering.numberAll(signal);
    await this.looking.run(() => this.startDue());
  }

  private async startDue(): Promise<void> {
    for (const subscriber of this.subscribers) {
      const free = this.freeSlots(subscriber);
      if (free <= 0) continue;
      for (const organizationId of await this.cursors.due(subscriber.name, free)) {
        const key = slotKey(subscriber, organizationId);
        if (this.stop.signal.aborted || this.inProgress.has(key)) continue;
        const delivery = this.deliver(subscriber, organizationId)
          .catch((error: unknown) => this.warn('cannot deliver events; it will be tried again', { error }))
          .finally(() => this.inProgress.delete(key));
        this.inProgress.set(key, delivery);
      }
    }
  }

  private freeSlots(subscriber: Subscriber): number {
    const isOwn = (key: string) => key.startsWith(slotKey(subscriber, ''));
    const late = [...this.late].filter(isOwn).length;
    const inTime = [...this.inProgress.keys()].filter(isOwn).length - late;
    return ORGANIZATIONS_AT_ONCE - inTime - Math.max(0, late - MAX_LATE);
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
    await renewed; // or a late renewal could end the pause
    await this.cursors.update(claim, pauseMs);
  }

  /** Returns how many milliseconds later the next events may be claimed. */
  private async deliverClaimed(subscriber: Subscriber, claim: DeliveryClaim): Promise<number> {
    const { organizationId } = claim;
    for (let read = 0; read < READS_PER_CLAIM; read++) {
      const rows = await this.cursors.next(claim);
      if (rows.length === 0) return 0;
      for (const row of rows) {
        if (this.stop.signal.aborted) return 0;
        const isWanted = subscriber.types === undefined || subscriber.types.includes(row.type);
        try {
          if (isWanted) await this.handle(subscriber, serializeEvent(row), organizationId);
        } catch (error) {
          const failures = ++claim.failures;
          const message = 'a subscriber failed; it will get the event again';
          this.warn(message, {
            subscriber: subscriber.name,
            organizationId,
            eventId: row.id,
            failures,
            error,
          });
          return pauseAfter(failures);
        }
        claim.sequence = Number(row.sequence);
        claim.failures = 0;
        if (isWanted && !(await this.cursors.update(claim, CLAIMED_FOR_MS))) return 0;
      }
    }
    return 0;
  }

  private async handle(subscriber: Subscriber, event: EventRecord, organizationId: string): Promise<void> {
    const key = slotKey(subscriber, organizationId);
    const startedAt = performance.now();
    const timer = setInterval(() => {
      this.late.add(key);
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const message = 'a subscriber has not finished an event; the organization waits for it';
      this.logger.warn({ message, subscriber: subscriber.name, organizationId, eventId: event.id, seconds });
    }, LATE_AFTER_MS).unref();
    try {
      await subscriber.handle(event, { organizationId });
    } finally {
      clearInterval(timer);
      this.late.delete(key);
    }
  }

  private warn(message: string, { error, ...rest }: { error: unknown; [name: string]: unknown }): void {
    this.logger.warn({ message, ...rest, error: describeError(error) });
  }
}
