/**
 * @slow it starts processes
 * @only embedded postgres: it watches the locks of a single server
 */
import { runJob } from '../support/background';
import { Client } from '../support/client';
import { describeOn } from '../support/engine';
import { type Running, start, stop } from '../support/process';
import { startService, type TestService } from '../support/service';
import { until, untilBlocked } from '../support/until';

interface TokenBody {
  id: string;
  token: string;
}

describeOn('postgres', 'tokens on three replicas', () => {
  let service: TestService;
  let replicas: Running[];
  let api: Client;
  const startAll = async () => {
    const env = { ...service.env, RATE_LIMIT_PER_MINUTE: '1000000' };
    replicas = await Promise.all([1, 2, 3].map(() => start(env)));
  };
  beforeAll(async () => {
    service = await startService();
    await startAll();
  });
  beforeEach(async () => (api = await service.client()));
  afterAll(async () => {
    await Promise.all(replicas.map(stop));
    await service.close();
  });

  const replica = (i: number, value = api.tokenValue) =>
    new Client(replicas[i % replicas.length].url, { value });
  const create = async (): Promise<TokenBody> =>
    (await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], expiresIn: '90d' }).expect(201)).body;
  const active = async (): Promise<string[]> =>
    (await api.get('/v1/tokens?state=active&limit=200').expect(200)).body.data.map(({ id }: TokenBody) => id);
  const endIn = (id: string, time: string) =>
    service.dataSource.query(`UPDATE tokens SET expires_at = now() + $2::interval WHERE id = $1`, [id, time]);

  it('accept both tokens of a rotation until its overlap is over, and the old one not a moment longer', async () => {
    const old = await create();
    const { body } = await replica(0).post(`/v1/tokens/${old.id}/rotate`).expect(201);
    await endIn(old.id, '2 seconds');
    const isOver = async (): Promise<boolean> =>
      (
        await service.dataSource.query(`SELECT expires_at <= now() AS over FROM tokens WHERE id = $1`, [
          old.id,
        ])
      )[0].over;
    const statuses = async (value: string) =>
      (await Promise.all([0, 1, 2].map((i) => replica(i, value).get('/v1/tokens/current')))).map(
        ({ status }) => status,
      );
    let [before, after] = [0, 0];
    while (after < 20) {
      const wasOver = await isOver();
      const answers = await statuses(old.token);
      if (wasOver) expect([after++, answers]).toEqual([expect.any(Number), [401, 401, 401]]);
      else if (!(await isOver())) expect([before++, answers]).toEqual([expect.any(Number), [200, 200, 200]]);
      expect(await statuses(body.token)).toEqual([200, 200, 200]);
    }
    expect(before).toBeGreaterThan(0);
  });

  it('leave only tokens that somebody was told, if one is rotated many times at once', async () => {
    const old = await create();
    const rotate = (overlap: string) =>
      Promise.all(
        Array.from({ length: 30 }, (_, i) => replica(i).post(`/v1/tokens/${old.id}/rotate`, { overlap })),
      );
    const told = [api.tokenId];
    for (const { status, body } of await rotate('24h')) {
      expect(status).toBe(201);
      told.push(body.id);
      await api.withValue(body.token).get('/v1/tokens/current').expect(200);
    }
    expect((await active()).sort()).toEqual([...told, old.id].sort());
    // The lock makes them really wait for each other.
    const lock = service.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    await lock.query('SELECT FROM tokens WHERE id = $1 FOR UPDATE', [old.id]);
    const last = rotate('0h');
    await untilBlocked(service.dataSource, 3, '%rotated_from%');
    await lock.commitTransaction();
    await lock.release();
    expect((await last).map(({ status }) => status).sort()).toEqual([201, ...Array(29).fill(409)]);
    told.push((await last).find(({ status }) => status === 201)!.body.id);
    expect((await active()).sort()).toEqual(told.sort());
  });

  /** How often an event tells of the end of a token. */
  const warnings = async (id: string): Promise<number> => {
    const types = 'token.expiring,token.expired';
    return (await api.get(`/api/v1/events?target=${id}&type=${types}`).expect(200)).body.data.length;
  };

  it('warn of a token once, however many look at the same time', async () => {
    const tokens = await Promise.all(Array.from({ length: 40 }, create));
    for (const { id } of tokens) await endIn(id, '6 days');
    await Promise.all(Array.from({ length: 6 }, () => runJob(service.app, 'warn of expiring tokens')));
    expect(await Promise.all(tokens.map(({ id }) => warnings(id)))).toEqual(Array(40).fill(1));
  });

  it('warn of a token by themselves, once, also after a restart', async () => {
    const untilWarned = async (id: string) => {
      await until(async () => (await warnings(id)) > 0, 500);
      expect(await warnings(id)).toBe(1);
    };
    const [first, second] = [await create(), await create()];
    await endIn(first.id, '6 days');
    await untilWarned(first.id);
    await Promise.all(replicas.map(stop));
    await startAll();
    await endIn(second.id, '6 days');
    await untilWarned(second.id);
    expect(await warnings(first.id)).toBe(1);
  });
});
