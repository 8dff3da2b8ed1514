import { PAUSES } from '../../platform/background/pauses';
import type { DeliveryError } from '../address/delivery-error';
import type { Answer } from '../address/post';
import type { EventRow } from '../../events/event/event.entity';
import type { WebhookFields } from '../webhook/webhook.entity';
import type { SealedSecrets } from '../webhook/webhook-secrets';
import type { WebhookDelivery } from './delivery.entity';

/** Pauses vary by up to this much, so that what failed together does not come back together. */
const JITTER = 0.2;

/** After one of these nothing is sent for a while: the receiver, or a proxy before it, is overloaded. */
const OVERLOADED = [429, 502, 503, 504];
const OVERLOADED_MS = 30_000;
const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000;

const GONE = 410;

/** A receiver that takes longer is slow. */
const SLOW_AFTER_MS = 2_000;

/** The end of an attempt without an answer. */
export interface NoAnswer {
  error: DeliveryError;
  tookMs: number;
}

/** The consequences of an attempt. */
export interface AttemptOutcome {
  state: 'delivered' | 'pending' | 'failed';
  /** Null without a response. */
  status: number | null;
  /** Why the attempt had no success; null if it had. */
  error: DeliveryError | null;
  /** How long the attempt took. */
  durationMs: number | null;
  /** The pause before a pending delivery is tried again. */
  pauseMs: number;
  /** How long nothing is sent to the webhook. */
  blockMs: number;
  /** Whether the receiver has answered that it no longer exists. */
  isGone: boolean;
  /** Whether the response took long. */
  isSlow: boolean;
}

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

/** The end of a delivery whose event has been removed, so that there is nothing to attempt. */
export const REMOVED: AttemptOutcome = {
  state: 'failed',
  status: null,
  error: null,
  durationMs: null,
  pauseMs: 0,
  blockMs: 0,
  isGone: false,
  isSlow: false,
};

/** `attempts` includes this attempt. */
export function outcomeOf(
  end: Answer | NoAnswer,
  attempts: number,
  now = Date.now(),
  random = Math.random,
): AttemptOutcome {
  const answer = 'status' in end ? end : undefined;
  const status = answer?.status ?? null;
  const durationMs = Math.round(end.tookMs);
  const isSlow = answer !== undefined && answer.tookMs > SLOW_AFTER_MS;
  if (status !== null && status >= 200 && status < 300)
    return {
      state: 'delivered',
      status,
      error: null,
      durationMs,
      pauseMs: 0,
      blockMs: 0,
      isGone: false,
      isSlow,
    };
  const asked = retryAfterMs(answer?.retryAfter, now);
  const isGone = status === GONE;
  const isLast = attempts > PAUSES.length;
  const pause = (PAUSES[attempts - 1] ?? 0) * (1 - JITTER + 2 * JITTER * random());
  return {
    state: isGone || isLast ? 'failed' : 'pending',
    status,
    error: 'error' in end ? end.error : 'status',
    durationMs,
    pauseMs: Math.round(Math.max(pause, asked ?? 0)),
    blockMs: status !== null && OVERLOADED.includes(status) ? (asked ?? OVERLOADED_MS) : 0,
    isGone,
    isSlow,
  };
}

/** Seconds or a date. `Date.parse()` would read other texts as a year. */
function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : / GMT$/.test(text) ? Date.parse(text) - now : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
