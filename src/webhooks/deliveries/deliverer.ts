import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../../platform/background/background';
import { type ClaimedWork, type Due, LOOK_EVERY_MS, type Turn } from '../../platform/background/claimed-work';
import { LIMITS } from '../../platform/fairness/limits';
import { TimeShare } from '../../platform/fairness/time-share';
import { EventNumbering } from '../../events/log/event-numbering';
import { TokenEvents } from '../../events/log/token-events';
import { type Receiver, Sender } from './sender';
import { type WebhookClaim, WebhookClaims } from './webhook-claims';

/** Deliveries that are sent to a webhook at once, unless its receiver struggles. */
const DELIVERIES_AT_ONCE = 10;

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
    const receiver = this.sender.begin(claim, turn);
    while (!turn.isOver() && receiver.state !== 'done') {
      const due = await this.claims.dueDeliveries(claim);
      if (!due || (due.queues.length === 0 && !due.hasMore)) return false;
      receiver.state = due.receiver;
      await this.sendQueues(receiver, due.queues);
    }
    return receiver.state !== 'done';
  }

  private async sendQueues(receiver: Receiver, due: string[][]): Promise<void> {
    const queues = due.values();
    const work = async (isFirst: boolean) => {
      for (const queue of queues) {
        await this.sendQueue(receiver, queue).finally(() => receiver.successes.flush());
        // Only one worker sends to a receiver that struggles, until it succeeds in time.
        if (mustStop(receiver) || (receiver.state === 'struggling' && !isFirst)) return;
      }
    };
    const workers = receiver.state === 'struggling' ? 1 : Math.min(DELIVERIES_AT_ONCE, due.length);
    const ended = await Promise.allSettled(Array.from({ length: workers }, (_, i) => work(i === 0)));
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** Sends deliveries one after the other, as long as each is delivered or given up. */
  private async sendQueue(receiver: Receiver, ids: string[]): Promise<void> {
    for (const id of ids)
      // Not before an attempt: if reading took so long, there would be no progress.
      if (!(await this.sender.send(receiver, id)) || mustStop(receiver)) return;
  }
}

/** All that has been read is sent in one turn, so that a slow delivery does not hold up others; unless all are slow. */
const mustStop = ({ state, turn }: Receiver): boolean =>
  state === 'done' || turn.stopped.aborted || (turn.isOver() && state === 'struggling');
