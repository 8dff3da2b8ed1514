import type { Client } from './client';
import { startService, type TestService } from './service';

interface EventBody {
  id: string;
  sequence: number;
  type: string;
  occurredAt: string;
  target: { type: string; id: string };
  data: { user?: Record<string, unknown>; previous?: object; token?: Record<string, unknown> };
}

/** A service, and a new organization in each test, whose events are read. */
export function useEvents() {
  let service: TestService | undefined;
  let api: Client | undefined;
  beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' })));
  beforeEach(async () => (api = await service!.client()));
  afterAll(() => service?.close());

  const get = async (query = '', client = api!) =>
    (await client.get(`/api/v1/events${query}`).expect(200)).body;
  const events = async (query = '', client = api!): Promise<EventBody[]> => (await get(query, client)).data;
  return { service: () => service!, api: () => api!, get, events };
}

export const sequences = (list: EventBody[]) => list.map(({ sequence }) => sequence);
