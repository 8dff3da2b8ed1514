import type { EventRow } from '../../events/event/event.entity';
import type { WebhookFields } from '../webhook/webhook.entity';
import type { SealedSecrets } from '../webhook/webhook-secrets';
import type { AttemptOutcome } from './attempt-outcome';
import type { WebhookDelivery } from './delivery.entity';

/** Everything that an attempt needs, read just before the attempt. */
export interface Attempt {
  delivery: Pick<WebhookDelivery, 'id' | 'eventId' | 'type' | 'attempts' | 'createdAt'>;
  webhook: WebhookFields & SealedSecrets;
  /** Undefined for a test, and for an event that has been removed. */
  event: EventRow | undefined;
}

/** An attempt that has succeeded. */
export interface Success {
  attempt: Attempt;
  outcome: AttemptOutcome;
}
