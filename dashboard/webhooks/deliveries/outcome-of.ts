import type { Delivery } from '../../../client/index.ts';

type Reason = Exclude<Delivery['lastError'], 'status' | null>;

/** The reasons in a word, and in a sentence. */
const REASONS: Record<Reason, [short: string, sentence: string]> = {
  dns: ['no address', 'The name of the receiver has no address'],
  address: ['address not allowed', 'The address of the receiver is not allowed'],
  refused: ['refused', 'The receiver refused the connection'],
  tls: ['no TLS', 'The receiver has no valid certificate, or no TLS at this port'],
  reset: ['no response', 'The receiver ended the connection without a response'],
  timeout: ['timeout', 'The receiver did not respond within 15 seconds'],
  protocol: ['not HTTP', 'The receiver did not respond in HTTP'],
};

const reasonOf = ({ lastError }: Delivery) =>
  lastError !== null && lastError in REASONS ? REASONS[lastError as Reason] : undefined;

/** What has become of the last attempt of a delivery, in a word; empty if there is nothing to say. */
export function resultOf(delivery: Delivery): string {
  if (delivery.lastStatus !== null) return String(delivery.lastStatus);
  return reasonOf(delivery)?.[0] ?? (delivery.attempts > 0 ? 'no response' : '');
}

/** The same in a sentence. */
export function outcomeOf(delivery: Delivery): string {
  const { attempts, state, lastStatus } = delivery;
  if (lastStatus !== null) return `The receiver responded with status ${lastStatus}`;
  const reason = reasonOf(delivery);
  if (reason) return reason[1];
  if (attempts > 0) return 'There is no response'; // of an earlier release, or its event has been removed
  return state === 'failed' ? 'The webhook was disabled before the first attempt' : 'Not sent yet';
}
