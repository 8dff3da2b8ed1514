import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client';
import type { TestServiceOptions } from './defaults';
import { startService, type TestService } from './service';

export interface EventBody {
  id: string;
  sequence: number;
  type: string;
  source: string;
  actor: { name: string };
  target: { id: string };
  data: { user: { id: string; version: number; role: string }; previous?: object };
}

/** A service, and what reads the whole feed of an organization. */
export function useFeed(options: TestServiceOptions = {}) {
  let service: TestService | undefined;
  beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' }, options)));
  afterAll(() => service?.close());

  /** Reads the feed from the cursor to its present end. */
  async function readFeed(client: Client, cursor = '', url = service!.url) {
    const events: EventBody[] = [];
    for (;;) {
      const path = `/api/v1/events?limit=50${cursor && `&cursor=${cursor}`}`;
      const { status, body } = await call(url, client, 'GET', path);
      expect([status, body.errors]).toEqual([200, undefined]);
      events.push(...body.data);
      cursor = body.nextCursor;
      if (body.data.length === 0) return { events, cursor };
    }
  }

  /**
   * Each event once, in order, without a gap; and the events of a user are all of its changes, and those of nobody
   * else.
   */
  async function expectComplete(events: EventBody[], { organizationId }: Client) {
    expect(events.map(({ sequence }) => sequence)).toEqual(upTo(events.length));
    const versions = new Map<string, number>();
    const states = new Map<string, object>();
    for (const { type, target, data } of events) {
      if (!type.startsWith('user.')) continue;
      if (type === 'user.deleted') states.delete(target.id);
      else {
        expect([target.id, data.user.version]).toEqual([target.id, (versions.get(target.id) ?? 0) + 1]);
        versions.set(target.id, data.user.version);
        states.set(target.id, { id: target.id, version: data.user.version, role: data.user.role });
      }
    }
    const rows: object[] = await service!.dataSource.query(
      'SELECT id, version, role FROM users WHERE organization_id = $1 ORDER BY id',
      [organizationId],
    );
    const byId = (a: object, b: object) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1);
    expect([...states.values()].sort(byId)).toEqual(rows.sort(byId));
  }

  return { service: () => service!, readFeed, expectComplete };
}

/**
 * Repeats what is refused for want of a connection, as a client does: 40 users of an organization are written at once.
 */
export const call = async (url: string, client: Client, method: string, path: string, body?: object) => {
  for (;;) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${client.tokenValue}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    const seconds = response.headers.get('Retry-After');
    if (response.status !== 503 || seconds === null)
      return { status: response.status, body: text && JSON.parse(text) };
    await sleep(Number(seconds) * 1_000);
  }
};

export const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
