import { Injectable } from '@nestjs/common';
import { VERSION } from '../../platform/feature/version';
import type { Turn } from '../../platform/background/claimed-work';
import { eventAsJson, thinEventAsJson } from '../../events/event/event.serializer';
import { Bulkhead } from '../../platform/fairness/bulkhead';
import { LIMITS } from '../../platform/fairness/limits';
import type { Unanswered } from '../address/delivery-error';
import { Post } from '../address/post';
import { signedHeaders } from '../secrets/signature';
import type { ReceiverState } from '../webhook/webhook.entity';
import { serializeWebhook } from '../webhook/webhook.serializer';
import { WebhookSecrets } from '../webhook/webhook-secrets';
import { type Attempt, type AttemptOutcome, outcomeOf, REMOVED } from './attempt-outcome';
import { Attempts } from './attempts';
import { TEST_TYPE } from './delivery.entity';
import { Successes } from './successes';
import type { WebhookClaim } from './webhook-claims';

/**
 * After this many failures in a row a webhook pauses. Otherwise a receiver that refuses immediately would be called as
 * fast as the database can record it.
 */
const MAX_FAILURES = 5;
const FAILING_REST_MS = 5_000;

/** Outcomes of attempts since the start, for the metrics. */
export type DeliveryCounts = Record<'delivered' | 'failed' | 'retried', number>;

/** The receiver of a webhook during a turn, as this process knows it. */
export interface Receiver {
  claim: WebhookClaim;
  turn: Turn;
  state: ReceiverState;
  /** They are recorded later, and have to be flushed before the claim is released. */
  successes: Successes;
  failuresInARow: number;
}

/** Sends one delivery: reads what it needs, calls the receiver, and records the attempt, or lets it be recorded. */
@Injectable()
export class Sender {
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };
  private readonly inProgress = new Bulkhead(LIMITS.attempts);
  private readonly atStruggling = new Bulkhead(LIMITS.attemptsAtStruggling);

  constructor(
    private readonly attempts: Attempts,
    private readonly secrets: WebhookSecrets,
    private readonly post: Post,
  ) {}

  begin(claim: WebhookClaim, turn: Turn): Receiver {
    const successes = new Successes((all) => this.attempts.recordSuccesses(claim, all));
    return { claim, turn, state: 'sending', successes, failuresInARow: 0 };
  }

  /**
   * Returns whether the delivery has come to its end: it is delivered or given up. If nothing may be sent for now, or
   * the process ends, the receiver is done: the next process that claims the webhook makes the attempt.
   */
  send(receiver: Receiver, id: string): Promise<boolean> {
    const bulkhead = receiver.state === 'struggling' ? this.atStruggling : this.inProgress;
    return bulkhead.run(receiver.claim.organizationId, () => this.sendNow(receiver, id));
  }

  private async sendNow(receiver: Receiver, id: string): Promise<boolean> {
    const { claim, turn, successes } = receiver;
    const attempt = turn.stopped.aborted ? undefined : await this.attempts.read(claim, id);
    const outcome = attempt && (await this.call(attempt, turn.abandoned));
    if (!outcome || turn.abandoned.aborted) {
      receiver.state = 'done';
      return false;
    }
    let next: ReceiverState;
    if (outcome.state === 'delivered') {
      await successes.add({ attempt, outcome });
      receiver.failuresInARow = 0;
      next = outcome.isSlow ? 'struggling' : 'sending';
    } else {
      await successes.flush();
      next = await this.attempts.recordFailed(claim, attempt, outcome);
      if (++receiver.failuresInARow >= MAX_FAILURES) {
        next = 'done';
        claim.restMs = FAILING_REST_MS;
      }
    }
    if (receiver.state !== 'done') receiver.state = next; // another worker may have ended the turn
    this.counts[outcome.state === 'pending' ? 'retried' : outcome.state]++;
    return outcome.state !== 'pending';
  }

  private async call(attempt: Attempt, abandoned: AbortSignal): Promise<AttemptOutcome> {
    const { delivery, webhook } = attempt;
    const attempts = delivery.attempts + 1;
    const body = payloadOf(attempt);
    if (body === null) return REMOVED;
    const headers = {
      'content-type': 'application/json',
      'user-agent': `user-management-service/${VERSION}`,
      ...signedHeaders(delivery.eventId, new Date(), body, this.secrets.open(webhook)),
    };
    const startedAt = performance.now();
    const end = await this.post
      .send({ url: webhook.url, headers, body }, abandoned)
      .catch(({ reason }: Unanswered) => ({ error: reason, tookMs: performance.now() - startedAt }));
    return outcomeOf(end, attempts);
  }
}

/** The body of a delivery: the event as in the feed. Null if the event has been removed. */
function payloadOf({ delivery, webhook, event }: Attempt): string | null {
  const isThin = webhook.payload === 'thin';
  if (delivery.type !== TEST_TYPE) {
    if (!event) return null;
    return isThin ? thinEventAsJson(event) : eventAsJson(event);
  }
  return JSON.stringify({
    id: delivery.eventId,
    type: TEST_TYPE,
    occurredAt: delivery.createdAt,
    source: 'service',
    actor: { type: 'system', id: null, name: 'system' },
    target: { type: 'webhook', id: webhook.id },
    requestId: null,
    onBehalfOf: isThin ? undefined : null,
    data: isThin ? undefined : { webhook: serializeWebhook(webhook) },
  });
}
