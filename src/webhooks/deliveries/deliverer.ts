import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../background/background';
import { TimeShare } from '../../background/time-share';
import { describeError } from '../../database/errors';
import { CLAIMED_FOR_MS } from '../../events/subscribers/event-cursors';
import { LOOK_EVERY_MS, LOOKING_SHARE, MAX_DRAIN_MS } from '../../events/subscribers/event-delivery';
import { EventNumbering } from '../../events/log/event-numbering';
import { TokenEvents } from '../../events/log/token-events';
import { UnknownKeyError } from '../secrets/key-ring';
import { Sender } from './sender';
import { type DueWebhook, type WebhookClaim, WebhookClaims } from './webhook-claims';

/** Deliveries that are sent to a webhook at once, unless its receiver fails. */
const AT_ONCE = 10;

/** Webhooks that a process has claimed at once. Most of them wait for a connection, whose number `Sender` limits. */
const WEBHOOKS_AT_ONCE = 200;

/** After this many plans another process may continue. */
const PLANS_PER_CLAIM = 10;

/**
 * After this many failures in a row a webhook pauses. Otherwise a receiver that refuses immediately would be called as
 * fast as the database can record it.
 */
const MAX_FAILURES = 5;
const FAILING_REST_MS = 5_000;

/** The pause of a webhook whose secret cannot be decrypted. A pause longer than a claim would count as over. */
const KEYLESS_REST_MS = CLAIMED_FOR_MS;

/** The state of a receiver during a claim, as its process knows it. */
interface Turn {
  isOver: boolean;
  isFailing: boolean;
  failuresInARow: number;
}

/**
 * Sends events to webhooks. A process claims a webhook, renews the claim while it works, and records each attempt, so
 * that no delivery is lost if the process dies. The responses of a receiver affect only its own webhook.
 */
@Injectable()
export class Deliverer implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly inProgress = new Map<string, Promise<void>>();
  private readonly lookingForEvents = new TimeShare(LOOKING_SHARE);
  private readonly lookingForDue = new TimeShare(LOOKING_SHARE);
  private readonly stop = new AbortController();

  constructor(
    private readonly claims: WebhookClaims,
    private readonly sender: Sender,
    private readonly numbering: EventNumbering,
    private readonly tokenEvents: TokenEvents,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.look(signal);
    this.background.add({ name: 'send events to webhooks', everyMs: LOOK_EVERY_MS, run });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    const drained = Promise.all(this.inProgress.values());
    await Promise.race([drained, sleep(MAX_DRAIN_MS, undefined, { ref: false })]);
    this.sender.abandon();
    await drained; // claims are returned while the connections are still open
  }

  private async look(signal: AbortSignal): Promise<void> {
    if (!(await this.claims.exist())) return;
    await this.numberEvents(signal);
    await this.lookingForDue.run(() => this.startDue());
  }

  /** Numbers events, because only numbered events are sent. */
  private async numberEvents(signal: AbortSignal): Promise<void> {
    let [behind, withTokenEvents]: string[][] = [[], []];
    await this.lookingForEvents.run(async () => {
      withTokenEvents = await this.tokenEvents.waiting();
      behind = await this.claims.behind(withTokenEvents);
    });
    await this.numbering.numberOf(behind, withTokenEvents, signal);
  }

  /** Starts sending to webhooks that are due. It does not wait for receivers: a slow one must not hold up others. */
  private async startDue(): Promise<void> {
    const free = WEBHOOKS_AT_ONCE - this.inProgress.size;
    if (free <= 0) return;
    for (const due of await this.claims.due(free)) {
      const key = `${due.organizationId} ${due.webhookId}`;
      if (this.stop.signal.aborted || this.inProgress.has(key)) continue;
      const work = this.workAt(due)
        .catch((error: unknown) => {
          const message = 'cannot send to a webhook; it will be tried again';
          this.logger.warn({ message, ...due, error: describeError(error) });
        })
        .finally(() => this.inProgress.delete(key));
      this.inProgress.set(key, work);
    }
  }

  private async workAt(due: DueWebhook): Promise<void> {
    const claim = await this.claims.claim(due);
    if (!claim) return;
    let renewed: Promise<unknown> = Promise.resolve();
    const renew = () => {
      renewed = this.claims.renew(claim).catch(() => {});
    };
    const timer = setInterval(renew, CLAIMED_FOR_MS / 3).unref();
    const turn: Turn = { isOver: false, isFailing: due.isFailing, failuresInARow: 0 };
    let restMs = 0;
    try {
      for (let plan = 0; plan < PLANS_PER_CLAIM; plan++) if (!(await this.sendPlan(claim, turn))) break;
      if (turn.failuresInARow >= MAX_FAILURES) restMs = FAILING_REST_MS;
    } catch (error) {
      if (!(error instanceof UnknownKeyError)) throw error;
      this.logger.error({ message: error.message, ...due });
      restMs = KEYLESS_REST_MS;
    } finally {
      clearInterval(timer);
      await renewed; // or a late renewal could undo the release
      await this.claims.release(claim, restMs);
    }
  }

  /** Sends what is due now. Returns whether to look for more. */
  private async sendPlan(claim: WebhookClaim, turn: Turn): Promise<boolean> {
    const plan = this.stop.signal.aborted ? undefined : await this.claims.plan(claim);
    if (!plan) return false;
    const queue = plan.chains.values();
    turn.isFailing = plan.isFailing;
    const work = async (isFirst: boolean) => {
      for (const chain of queue) {
        await this.sendChain(claim, chain, turn);
        // Only one worker sends to a receiver that fails, until it succeeds.
        if (turn.isOver || this.stop.signal.aborted || (turn.isFailing && !isFirst)) return;
      }
    };
    const workers = turn.isFailing ? 1 : Math.min(AT_ONCE, Math.max(plan.chains.length, 1));
    const ended = await Promise.allSettled(Array.from({ length: workers }, (_, i) => work(i === 0)));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    return !turn.isOver && (plan.chains.length > 0 || plan.hasMore);
  }

  /** Sends deliveries one after the other, as long as each is delivered or given up. */
  private async sendChain(claim: WebhookClaim, chain: string[], turn: Turn): Promise<void> {
    for (const id of chain) {
      if (turn.isOver || this.stop.signal.aborted) return;
      const result = await this.sender.send(claim, id, turn.isFailing);
      if (result.isFailing !== undefined) {
        turn.isFailing = result.isFailing;
        turn.failuresInARow = result.isFailing ? turn.failuresInARow + 1 : 0;
      }
      turn.isOver ||= result.isOver || turn.failuresInARow >= MAX_FAILURES;
      if (result.isPending) return;
    }
  }
}
