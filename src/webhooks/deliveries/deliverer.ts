import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../background/background';
import { type ClaimedWork, type Due, LOOK_EVERY_MS, type Turn } from '../../background/claimed-work';
import { LIMITS } from '../../fairness/limits';
import { TimeShare } from '../../fairness/time-share';
import { EventNumbering } from '../../events/log/event-numbering';
import { TokenEvents } from '../../events/log/token-events';
import { Sender } from './sender';
import type { Successes } from './successes';
import { type WebhookClaim, WebhookClaims } from './webhook-claims';

/** Deliveries that are sent to a webhook at once, unless its receiver struggles. */
const DELIVERIES_AT_ONCE = 10;

/**
 * After this many failures in a row a webhook pauses. Otherwise a receiver that refuses immediately would be called as
 * fast as the database can record it.
 */
const MAX_FAILURES = 5;
const FAILING_REST_MS = 5_000;

/** A receiver during a turn, as this process knows it. */
interface Receiver {
  successes: Successes;
  isStruggling: boolean;
  failuresInARow: number;
  /** Whether nothing more is sent in this turn. */
  isDone: boolean;
}

/** Sends events to webhooks. The responses of a receiver affect only its own webhook. */
@Injectable()
export class Deliverer implements OnModuleInit {
  private readonly work: ClaimedWork<Due, WebhookClaim>;
  private readonly lookingForEvents = new TimeShare(LIMITS.looking.size);

  constructor(
    private readonly claims: WebhookClaims,
    private readonly sender: Sender,
    private readonly numbering: EventNumbering,
    private readonly tokenEvents: TokenEvents,
    private readonly background: Background,
  ) {
    this.work = background.addWork({
      name: 'send to a webhook',
      limit: LIMITS.webhooks,
      due: (limit, slowLimit) => claims.due(limit, slowLimit),
      claim: (due) => claims.claim(due),
      renew: (claim) => claims.renew(claim),
      work: (claim, turn) => this.send(claim, turn),
      release: (claim) => claims.release(claim),
    });
  }

  onModuleInit(): void {
    this.background.add({
      name: 'send events to webhooks',
      everyMs: LOOK_EVERY_MS,
      run: () => this.look(),
    });
  }

  /** Only numbered events are sent. An organization whose events have been numbered does not wait for the next look. */
  private async look(): Promise<void> {
    if (!(await this.claims.exist())) return;
    await this.lookingForEvents.run(async () => {
      const withTokenEvents = await this.tokenEvents.waiting();
      const behind = await this.claims.behind(withTokenEvents);
      for (const numbered of this.numbering.begin(behind, withTokenEvents))
        void numbered.then(() => this.work.wake());
    });
    await this.work.look();
  }

  private async send(claim: WebhookClaim, turn: Turn): Promise<boolean> {
    const successes = this.sender.successesOf(claim);
    const receiver: Receiver = { successes, isStruggling: false, failuresInARow: 0, isDone: false };
    while (!turn.isOver() && !receiver.isDone) {
      const due = await this.claims.dueDeliveries(claim);
      if (!due || (due.queues.length === 0 && !due.hasMore)) return false;
      receiver.isStruggling = due.isStruggling;
      await this.sendQueues(claim, due.queues, receiver, turn);
    }
    if (receiver.failuresInARow >= MAX_FAILURES) claim.restMs = FAILING_REST_MS;
    return !receiver.isDone;
  }

  private async sendQueues(
    claim: WebhookClaim,
    due: string[][],
    receiver: Receiver,
    turn: Turn,
  ): Promise<void> {
    const queues = due.values();
    const work = async (isFirst: boolean) => {
      for (const queue of queues) {
        await this.sendQueue(claim, queue, receiver, turn).finally(() => receiver.successes.flush());
        // Only one worker sends to a receiver that struggles, until it succeeds in time.
        if (isOver(receiver, turn) || (receiver.isStruggling && !isFirst)) return;
      }
    };
    const workers = receiver.isStruggling ? 1 : Math.min(DELIVERIES_AT_ONCE, due.length);
    const ended = await Promise.allSettled(Array.from({ length: workers }, (_, i) => work(i === 0)));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** Sends deliveries one after the other, as long as each is delivered or given up. */
  private async sendQueue(claim: WebhookClaim, ids: string[], receiver: Receiver, turn: Turn): Promise<void> {
    const { successes } = receiver;
    for (const id of ids) {
      if (receiver.isDone || turn.stopped.aborted) return;
      const attempt = await this.sender.send(claim, id, successes, receiver.isStruggling, turn);
      if (!attempt) {
        receiver.isDone = true; // the claim is lost, or nothing may be sent for now
        return;
      }
      receiver.isStruggling = attempt.isStruggling;
      receiver.failuresInARow = attempt.isDelivered ? 0 : receiver.failuresInARow + 1;
      receiver.isDone ||= attempt.isLast || receiver.failuresInARow >= MAX_FAILURES;
      // Not before an attempt: if reading took so long, there would be no progress.
      if (attempt.isPending || isOver(receiver, turn)) return;
    }
  }
}

/** All that has been read is sent in one turn, so that a slow delivery does not hold up others; unless all are slow. */
const isOver = ({ isDone, isStruggling }: Receiver, turn: Turn): boolean =>
  isDone || turn.stopped.aborted || (turn.isOver() && isStruggling);
