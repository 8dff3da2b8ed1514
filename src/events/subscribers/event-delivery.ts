import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../platform/background/background';
import { type ClaimedWork, type Due, LOOK_EVERY_MS, type Turn } from '../../platform/background/claimed-work';
import { pauseAfter } from '../../platform/background/pauses';
import { LIMITS } from '../../platform/fairness/limits';
import { TimeShare } from '../../platform/fairness/time-share';
import { describeError } from '../../platform/database/errors';
import { SERVICE_OPTIONS } from '../../platform/feature/options.module';
import { serializeEvent } from '../event/event.serializer';
import type { EventView } from '../event/event.view';
import { EventNumbering } from '../log/event-numbering';
import { type DeliveryClaim, EventCursors } from './event-cursors';
import type { Subscriber, SubscribersOptions } from './subscriber';

/** A handler that takes longer is logged, again and again. */
const LOGGED_AFTER_MS = 60_000;

/** Delivers events to the subscribers of a host, and stores the position after each, so that none is skipped. */
@Injectable()
export class EventDelivery implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Subscribers');
  private work: ClaimedWork<Due, DeliveryClaim>[] = [];
  private isRegistered = false;
  private readonly lookingForEvents = new TimeShare(LIMITS.looking.size);
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
    this.work = this.subscribers.map((subscriber) =>
      this.background.addWork({
        name: 'deliver events to a subscriber',
        limit: LIMITS.subscribed,
        due: (limit) => this.cursors.due(subscriber.name, limit),
        claim: ({ organizationId }) => this.cursors.claim(subscriber.name, organizationId),
        renew: (claim) => this.cursors.renew(claim),
        work: (claim, turn) => this.deliver(subscriber, claim, turn),
        release: (claim) => this.cursors.release(claim),
      }),
    );
    const run = () => this.look();
    this.background.add({ name: 'deliver events to subscribers', everyMs: LOOK_EVERY_MS, run });
  }

  /** Also when background work is off, so that nothing is missed if this process is the first to start. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.subscribers.length === 0) return;
    await this.register().catch((error: unknown) =>
      this.warn('cannot register subscribers; it will be tried again', { error }),
    );
  }

  /** New subscribers get the events that happen from now on, so those that have happened are numbered first. */
  private async register(): Promise<void> {
    const unknown = await this.cursors.unknown(this.subscribers.map(({ name }) => name));
    if (unknown.length > 0) {
      await this.numbering.catchUpAll();
      await this.cursors.register(unknown);
    }
    this.isRegistered = true;
  }

  private async look(): Promise<void> {
    if (!this.isRegistered) await this.register();
    await this.lookingForEvents.run(async () => {
      for (const numbered of await this.numbering.beginAll())
        void numbered.then(() => this.work.forEach((work) => work.wake()));
    });
    await Promise.all(this.work.map((work) => work.look()));
  }

  private async deliver(subscriber: Subscriber, claim: DeliveryClaim, turn: Turn): Promise<boolean> {
    do {
      const rows = await this.cursors.next(claim);
      if (rows.length === 0) return false;
      for (const row of rows) {
        if (turn.stopped.aborted) return true;
        const isWanted = subscriber.types === undefined || subscriber.types.includes(row.type);
        if (isWanted && !(await this.handle(subscriber, serializeEvent(row), claim))) return false;
        claim.sequence = Number(row.sequence);
        claim.failures = 0;
        if (isWanted && !(await this.cursors.renew(claim))) return false;
        if (turn.isOver()) return true; // not before an event: if reading took so long, there would be no progress
      }
    } while (!turn.isOver());
    return true;
  }

  /** Returns whether the subscriber has handled the event. Otherwise it gets it again after a pause. */
  private async handle(subscriber: Subscriber, event: EventView, claim: DeliveryClaim): Promise<boolean> {
    const { organizationId } = claim;
    const about = { subscriber: subscriber.name, organizationId, eventId: event.id };
    const startedAt = performance.now();
    const timer = setInterval(() => {
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const message = 'a subscriber has not finished an event; the organization waits for it';
      this.logger.warn({ message, ...about, seconds });
    }, LOGGED_AFTER_MS).unref();
    try {
      await subscriber.handle(event, { organizationId });
      return true;
    } catch (error) {
      const failures = ++claim.failures;
      claim.pauseMs = pauseAfter(failures);
      this.warn('a subscriber failed; it will get the event again', { ...about, failures, error });
      return false;
    } finally {
      clearInterval(timer);
    }
  }

  private warn(message: string, { error, ...rest }: { error: unknown; [name: string]: unknown }): void {
    this.logger.warn({ message, ...rest, error: describeError(error) });
  }
}
