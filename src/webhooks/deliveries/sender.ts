import { Injectable } from '@nestjs/common';
import { info } from '../../../openapi.json';
import type { Turn } from '../../background/claimed-work';
import { Bulkhead } from '../../fairness/bulkhead';
import { LIMITS } from '../../fairness/limits';
import { Post } from '../address/post';
import { signedHeaders } from '../secrets/signature';
import { WebhookSecrets } from '../webhook/webhook-secrets';
import type { Attempt } from './attempt-outcome';
import { type AttemptOutcome, outcomeOf } from './attempt-outcome';
import { Attempts } from './attempts';
import { payloadOf } from './payload';
import { Successes } from './successes';
import type { WebhookClaim } from './webhook-claims';

/** Outcomes of attempts since the start, for the metrics. */
export interface DeliveryCounts {
  delivered: number;
  failed: number;
  retried: number;
}

/** The state of a delivery and of its webhook after an attempt. */
export interface AttemptResult {
  isDelivered: boolean;
  /** Whether the delivery will be tried again. */
  isPending: boolean;
  isStruggling: boolean;
  /** Whether nothing more may be sent to the webhook for now. */
  isLast: boolean;
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

  /** The successes of a turn, which are recorded later. They have to be flushed before its claim is released. */
  successesOf(claim: WebhookClaim): Successes {
    return new Successes((successes) => this.attempts.recordSuccesses(claim, successes));
  }

  /**
   * Undefined if nothing may be sent for now, or the process ends: the next one that claims the webhook makes the
   * attempt.
   */
  send(
    claim: WebhookClaim,
    id: string,
    successes: Successes,
    isStruggling: boolean,
    turn: Turn,
  ): Promise<AttemptResult | undefined> {
    const bulkhead = isStruggling ? this.atStruggling : this.inProgress;
    return bulkhead.run(claim.organizationId, () => this.sendNow(claim, id, successes, turn));
  }

  private async sendNow(
    claim: WebhookClaim,
    id: string,
    successes: Successes,
    { stopped, abandoned }: Turn,
  ): Promise<AttemptResult | undefined> {
    const attempt = stopped.aborted ? undefined : await this.attempts.read(claim, id);
    if (!attempt) return undefined;
    const outcome = await this.call(attempt, abandoned);
    if (abandoned.aborted) return undefined;
    const isDelivered = outcome.state === 'delivered';
    if (isDelivered) await successes.add({ attempt, outcome });
    else await successes.flush();
    const { isEnabled, isStruggling } = isDelivered
      ? { isEnabled: true, isStruggling: outcome.isSlow }
      : await this.attempts.recordFailed(claim, attempt, outcome);
    this.count(outcome);
    return {
      isDelivered,
      isPending: outcome.state === 'pending',
      isStruggling,
      isLast: !isEnabled || outcome.blockMs > 0,
    };
  }

  private async call(attempt: Attempt, abandoned: AbortSignal): Promise<AttemptOutcome> {
    const { delivery, webhook } = attempt;
    const attempts = delivery.attempts + 1;
    const body = payloadOf(attempt);
    if (body === null) return { ...outcomeOf(undefined, attempts), state: 'failed' };
    const headers = {
      'content-type': 'application/json',
      'user-agent': `user-management-service/${info.version}`,
      ...signedHeaders(delivery.eventId, new Date(), body, this.secrets.open(webhook)),
    };
    // The reason for a missing response, such as the address of a name, is not for administrators of organizations.
    const answer = await this.post
      .send({ url: webhook.url, headers, body }, abandoned)
      .catch(() => undefined);
    return outcomeOf(answer, attempts);
  }

  private count({ state }: AttemptOutcome): void {
    if (state === 'delivered') this.counts.delivered++;
    else if (state === 'failed') this.counts.failed++;
    else this.counts.retried++;
  }
}
