import { Injectable } from '@nestjs/common';
import { VERSION } from '../../feature/version';
import type { Turn } from '../../background/claimed-work';
import { Bulkhead } from '../../fairness/bulkhead';
import { LIMITS } from '../../fairness/limits';
import { Post } from '../address/post';
import { signedHeaders } from '../secrets/signature';
import type { ReceiverState } from '../webhook/webhook.entity';
import { WebhookSecrets } from '../webhook/webhook-secrets';
import { type Attempt, type AttemptOutcome, outcomeOf } from './attempt-outcome';
import { Attempts } from './attempts';
import { payloadOf } from './payload';
import { Successes } from './successes';
import type { WebhookClaim } from './webhook-claims';

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

/** The state of a delivery and of its receiver after an attempt. */
export interface Attempted {
  delivery: AttemptOutcome['state'];
  receiver: ReceiverState;
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
   * Undefined if nothing may be sent for now, or the process ends: the next one that claims the webhook makes the
   * attempt.
   */
  send(receiver: Receiver, id: string): Promise<Attempted | undefined> {
    const bulkhead = receiver.state === 'struggling' ? this.atStruggling : this.inProgress;
    return bulkhead.run(receiver.claim.organizationId, () => this.sendNow(receiver, id));
  }

  private async sendNow({ claim, turn, successes }: Receiver, id: string): Promise<Attempted | undefined> {
    const attempt = turn.stopped.aborted ? undefined : await this.attempts.read(claim, id);
    if (!attempt) return undefined;
    const outcome = await this.call(attempt, turn.abandoned);
    if (turn.abandoned.aborted) return undefined;
    const { state: delivery, isSlow } = outcome;
    let receiver: ReceiverState;
    if (delivery === 'delivered') {
      await successes.add({ attempt, outcome });
      receiver = isSlow ? 'struggling' : 'sending';
    } else {
      await successes.flush();
      receiver = await this.attempts.recordFailed(claim, attempt, outcome);
    }
    this.counts[delivery === 'pending' ? 'retried' : delivery]++;
    return { delivery, receiver };
  }

  private async call(attempt: Attempt, abandoned: AbortSignal): Promise<AttemptOutcome> {
    const { delivery, webhook } = attempt;
    const attempts = delivery.attempts + 1;
    const body = payloadOf(attempt);
    if (body === null) return { ...outcomeOf(undefined, attempts), state: 'failed' };
    const headers = {
      'content-type': 'application/json',
      'user-agent': `user-management-service/${VERSION}`,
      ...signedHeaders(delivery.eventId, new Date(), body, this.secrets.open(webhook)),
    };
    // The reason for a missing response, such as the address of a name, is not for administrators of organizations.
    const answer = await this.post
      .send({ url: webhook.url, headers, body }, abandoned)
      .catch(() => undefined);
    return outcomeOf(answer, attempts);
  }
}
