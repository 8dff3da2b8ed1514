/**
 * @slow it starts processes
 */
import { randomUUID } from 'node:crypto';
import { aUser, type Client } from '../support/client';
import { describeOn } from '../support/engine';
import { patiently } from '../support/patiently';
import { start, stop } from '../support/process';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

const PATH = '/api/v1/users/batch';

let service: TestService;
let api: Client;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' })));
beforeEach(async () => void (api = await service.client()));
afterAll(() => service.close());

interface Answer {
  counts?: { failed: number };
}

const startTwo = () =>
  Promise.all([1, 2].map(() => start({ ...service.env, RATE_LIMIT_PER_MINUTE: '100000' })));

const send = async (url: string, batch: object, key: string = randomUUID()) => {
  const once = () =>
    fetch(url + PATH, {
      method: 'POST',
      body: JSON.stringify(batch),
      headers: {
        Authorization: `Bearer ${api.tokenValue}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
    });
  // Another 503 says that others keep writing the same users.
  const response = await patiently(once, (detail) => detail.includes('in progress'));
  return { status: response.status, body: (await response.json()) as Answer };
};

const stored = (): Promise<{ email: string; name: string; version: number }[]> =>
  service.dataSource.query('SELECT email, name, version FROM users WHERE organization_id = $1', [
    api.organizationId,
  ]);

describeOn('postgres', 'batches on two replicas', () => {
  it.each([{ atomic: false }, { atomic: true }])(
    'that upsert the same 200 emails all succeed, and each email is there once: %j',
    async ({ atomic }) => {
      const replicas = await startTwo();
      try {
        const emails = Array.from({ length: 200 }, () => aUser().email);
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) => {
            // In an order of its own, with values of its own.
            const order = n % 2 ? emails : [...emails].reverse();
            const users = order.map((email) => ({ email, name: `Batch ${n}` }));
            return send(replicas[n % 2].url, { users, mode: 'upsert', atomic });
          }),
        );
        expect(answers.map(({ status, body }) => [status, body.counts?.failed])).toEqual(
          answers.map(() => [200, 0]),
        );
        const users = await stored();
        expect(users.map(({ email }) => email).sort()).toEqual([...emails].sort());
        // Every batch has written every user once.
        expect(new Set(users.map(({ version }) => version))).toEqual(new Set([20]));
        const [{ events }] = await service.dataSource.query(
          'SELECT count(*)::int AS events FROM events WHERE organization_id = $1 AND target_id LIKE $2',
          [api.organizationId, 'usr_%'],
        );
        expect(events).toBe(200 * 20);
      } finally {
        await Promise.all(replicas.map(stop));
      }
    },
  );

  it.each([{ atomic: false }, { atomic: true }])(
    'take as much metadata as fits in: %j',
    async ({ atomic }) => {
      const text = () => Array.from({ length: 1_750 }, () => randomUUID().slice(0, 8)).join(' ');
      const users = Array.from({ length: 60 }, () => aUser({ metadata: { text: text() } }));
      for (let round = 0; round < 3; round++) {
        const batch = users.map((user) => ({ ...user, metadata: { text: text() } }));
        const { body } = await api.post(PATH, { users: batch, mode: 'upsert', atomic }).expect(200);
        expect(body.counts.failed).toBe(0);
      }
    },
  );

  it('succeed though others change some of the users all the time', async () => {
    const users = Array.from({ length: 500 }, () => aUser());
    await api.post(PATH, { users }).expect(200);
    const { data } = (await api.get('/api/v1/users?limit=8').expect(200)).body;
    let isDone = false;
    const changes = Promise.all(
      data.map(async ({ id }: { id: string }) => {
        for (let n = 0; !isDone; n++) await api.patch(`/api/v1/users/${id}`, { metadata: { n } }).expect(200);
      }),
    );
    const changed = users.map(({ email }) => ({ email, role: 'viewer' }));
    const { status, body } = await api.post(PATH, { users: changed, mode: 'upsert', atomic: true });
    isDone = true;
    await changes;
    expect([status, body.counts?.updated]).toEqual([200, 500]);
  });
});

describeOn('postgres', 'a batch whose replica is killed in the middle', () => {
  /** Whether a transaction has written to the table. */
  const isWritten = async (table: string): Promise<boolean> => {
    const lock = `SELECT FROM pg_locks WHERE relation = $1::regclass AND mode = 'RowExclusiveLock'`;
    return (await service.dataSource.query(lock, [table])).length > 0;
  };

  it.each([{ atomic: true }, { atomic: false }])(
    'is finished by its repeat: %j',
    async ({ atomic }) => {
      let cut = 0;
      for (const table of ['idempotency_keys', 'users', 'user_search', 'events']) {
        api = await service.client();
        const [victim, other] = await startTwo();
        const users = Array.from({ length: 500 }, () => aUser());
        const key = randomUUID();
        let isAnswered = false;
        const first = send(victim.url, { users, atomic }, key)
          .catch(() => undefined)
          .finally(() => (isAnswered = true));
        await until(async () => isAnswered || (await isWritten(table)), 1);
        victim.process.kill('SIGKILL');
        const answer = await first;
        expect([0, 500]).toContain((await stored()).length);
        if (!answer) cut++;

        // The server ends the transaction of the killed replica once it notices.
        const last = await send(other.url, { users, atomic }, key);
        expect([last.status, last.body.counts?.failed]).toEqual([200, 0]);
        const emails = (await stored()).map(({ email }) => email);
        expect(emails.sort()).toEqual(users.map(({ email }) => email).sort());
        await stop(other);
      }
      expect(cut).toBeGreaterThan(0);
    },
    240_000,
  );
});
