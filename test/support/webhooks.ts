import { WebhookClaims } from '../../src/webhooks/deliveries/webhook-claims';
import type { Client } from './client';
import { type Clock, fakeClock } from './clock';
import { late } from './late';
import { type Receiver, startReceiver } from './receiver';
import { startService, type TestService } from './service';
import { until } from './until';

export const WEBHOOKS = '/api/v1/webhooks';

/** Lets a service create webhooks, and send to receivers on loopback. */
export const WEBHOOK_ENV = {
  WEBHOOK_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

export interface Delivery {
  id: string;
  eventId: string;
  type: string;
  state: string;
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
  lastDurationMs: number | null;
  nextAttemptAt: string | null;
}

export const aWebhook = (fields: object = {}) => ({
  url: 'https://example.com/hook',
  types: ['user.created'],
  ...fields,
});

export const createWebhook = async (api: Client, fields: object = {}) =>
  (await api.post(WEBHOOKS, aWebhook(fields)).expect(201)).body;

/** Starts receivers, which are closed after each test. */
export function useReceivers() {
  const receivers: Receiver[] = [];
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
  });
  return async (): Promise<Receiver> => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    return receiver;
  };
}

/** Starts a service that sends, for a suite or for each of its tests, with a clock that they set forward. */
export function useWebhooks([before, after] = [beforeAll, afterAll]) {
  let service: TestService | undefined;
  let clock: Clock | undefined;
  before(async () => {
    service = await startService(WEBHOOK_ENV, { background: true });
    clock = await fakeClock(service.dataSource);
    // Or, once a month has passed, the hourly job removes deliveries that a test has just made.
    await service.dataSource.query(
      'ALTER TABLE webhook_deliveries ALTER created_at SET DEFAULT public.now()',
    );
  });
  const receive = useReceivers(); // closed first, so that nothing waits for their answers
  after(() => service?.close());
  return {
    service: late(() => service!),
    clock: late(() => clock!),
    receive,

    /** A client of a new organization, a receiver, and a webhook that sends to it. */
    async hooked(fields: object = {}) {
      const [api, receiver] = [await service!.client(), await receive()];
      const { id, secret } = await createWebhook(api, { url: receiver.url, ...fields });
      return { api, receiver, id: id as string, secret: secret as string };
    },
  };
}

/** Makes the first pause longer than a slow test, and shorter than 700 seconds. */
export const LATER = { 'retry-after': '600' };

const MAX_WAIT_MS = 150_000;

/** Waits until the list of deliveries is as expected. */
export async function deliveriesOf(
  api: Client,
  id: string,
  isDone: (deliveries: Delivery[]) => boolean,
): Promise<Delivery[]> {
  const start = performance.now();
  return until(async () => {
    const { body } = await api.get(`${WEBHOOKS}/${id}/deliveries`).expect(200);
    if (performance.now() - start > MAX_WAIT_MS)
      throw new Error(`The deliveries are ${JSON.stringify(body.data)}`);
    return isDone(body.data) && body.data;
  }, 100);
}

/**
 * Waits until the service has looked twice for webhooks that are due, and looks again: whatever may be sent has been,
 * because there is far more time between two looks than they take, and so than it takes to send what they have found.
 */
export async function twoLooks({ app }: TestService): Promise<void> {
  const looked = jest.spyOn(app.get(WebhookClaims, { strict: false }), 'due');
  await until(() => looked.mock.calls.length > 2);
  looked.mockRestore();
}
