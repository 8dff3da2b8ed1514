import type { Delivery } from '../../client/index.ts';

const REASONS: Record<Exclude<Delivery['lastError'], 'status' | null>, string> = {
  dns: 'The name of the receiver has no address',
  address: 'The address of the receiver is not allowed',
  refused: 'The receiver refused the connection',
  tls: 'The receiver has no valid certificate, or no TLS at this port',
  reset: 'The receiver ended the connection without a response',
  timeout: 'The receiver did not respond within 15 seconds',
  protocol: 'The receiver did not respond in HTTP',
};

/** What has become of the last attempt of a delivery, in words. */
export function outcomeOf({ attempts, state, lastStatus, lastError }: Delivery): string {
  if (lastStatus !== null) return `The receiver responded with status ${lastStatus}`;
  if (lastError !== null && lastError in REASONS) return REASONS[lastError as keyof typeof REASONS];
  if (attempts > 0) return 'There is no response'; // of an earlier release, or its event has been removed
  return state === 'failed' ? 'The webhook was disabled before the first attempt' : 'Not sent yet';
}
