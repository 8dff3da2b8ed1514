import { HttpException, Injectable } from '@nestjs/common';
import { info } from '../../../openapi.json';
import { ConnectionShares } from '../../database/connections/connection-shares';
import { Post } from '../address/post';
import { signedHeaders } from '../secrets/signature';
import { WebhookSecrets } from '../webhook/webhook-secrets';
import { Attempts, type Sending } from './attempts';
import { payloadOf } from './payload';
import { type Verdict, verdictOf } from './attempt-outcome';
import type { WebhookClaim } from './webhook-claims';

/** The maximum number of connections to receivers. Organizations share them like the connections to the database. */
const CONNECTIONS = 50;

/** Outcomes of attempts since the start, for the metrics. */
export interface DeliveryCounts {
  delivered: number;
  failed: number;
  retried: number;
}

export interface SendResult {
  /** Whether the delivery will be tried again. */
  isPending: boolean;
  /** Whether sending to this webhook must stop for now. */
  isOver: boolean;
  /** Whether the receiver fails; undefined if it has not been called. */
  isFailing?: boolean;
}

/** Sends one delivery: reads what it needs, calls the receiver, and records the attempt. */
@Injectable()
export class Sender {
  readonly counts: DeliveryCounts = { delivered: 0, failed: 0, retried: 0 };
  private readonly connections = new ConnectionShares(CONNECTIONS);
  private readonly abandoned = new AbortController();

  constructor(
    private readonly attempts: Attempts,
    private readonly secrets: WebhookSecrets,
    private readonly post: Post,
  ) {}

  /** Ends the attempts in progress. The next process that claims their webhooks repeats them. */
  abandon(): void {
    this.abandoned.abort();
  }

  async send(claim: WebhookClaim, id: string, isFailing: boolean): Promise<SendResult> {
    // Receivers that fail share fewer connections, so that the others always get one.
    const share = isFailing ? 'write' : 'quick';
    try {
      return await this.connections.withConnection(share, claim.organizationId, () =>
        this.sendNow(claim, id),
      );
    } catch (error) {
      // Too many attempts are waiting for a connection already.
      if (error instanceof HttpException) return { isPending: true, isOver: true };
      throw error;
    }
  }

  private async sendNow(claim: WebhookClaim, id: string): Promise<SendResult> {
    const sending = await this.attempts.read(claim, id);
    if (!sending) return { isPending: true, isOver: true };
    const verdict = await this.attempt(sending);
    if (this.abandoned.signal.aborted) return { isPending: true, isOver: true };
    const { isEnabled, isFailing } = await this.attempts.record(claim, sending, verdict);
    this.count(verdict);
    return { isPending: verdict.state === 'pending', isOver: !isEnabled || verdict.blockMs > 0, isFailing };
  }

  private async attempt(sending: Sending): Promise<Verdict> {
    const { delivery, webhook } = sending;
    const attempts = delivery.attempts + 1;
    const body = payloadOf(sending);
    if (body === null) return { ...verdictOf(undefined, attempts), state: 'failed' };
    const headers = {
      'content-type': 'application/json',
      'user-agent': `user-management-service/${info.version}`,
      ...signedHeaders(delivery.eventId, new Date(), body, this.secrets.open(webhook)),
    };
    // The reason for a missing response, such as the address of a name, is not for administrators of organizations.
    const answer = await this.post
      .send({ url: webhook.url, headers, body }, this.abandoned.signal)
      .catch(() => undefined);
    return verdictOf(answer, attempts);
  }

  private count({ state }: Verdict): void {
    if (state === 'delivered') this.counts.delivered++;
    else if (state === 'failed') this.counts.failed++;
    else this.counts.retried++;
  }
}
