import { runJob } from '../support/background';
import { useTokens } from '../support/token-life';

const { service, api, create, get, events, endIn } = useTokens();

describe('X-Token-Expires-At', () => {
  const HEADER = 'x-token-expires-at';

  it('is on every response to a token that expires, whatever its status, and on no other', async () => {
    const { token, expiresAt } = await create({ expiresIn: '30d' });
    const own = api.withValue(token);
    for (const answer of [
      await own.get('/api/v1/users').expect(200),
      await own.get('/api/v1/users?page=1').expect(400),
      await own.get('/api/v1/users/usr_x').expect(404),
      await own.delete('/api/v1/users/usr_x').expect(403),
    ]) {
      expect(answer.headers[HEADER]).toBe(expiresAt);
    }
    for (const answer of [
      await api.get('/api/v1/users').expect(200),
      await own.get('/api/nothing').expect(404),
      await api.withValue(`${token}0`).get('/api/v1/users').expect(401),
    ]) {
      expect(answer.headers[HEADER]).toBeUndefined();
    }
  });

  it('is the end that a rotation has set', async () => {
    const { id, token } = await create();
    await api.post(`/v1/tokens/${id}/rotate`).expect(201);
    const { headers } = await api.withValue(token).get('/api/v1/users').expect(200);
    expect(headers[HEADER]).toBe((await get(id)).expiresAt);
  });
});

describe('token.expiring and token.expired', () => {
  const warn = () => runJob(service.app, 'warn of expiring tokens');

  /** What the events tell: the days left, or 0 if the token has expired. */
  const told = async (id: string) =>
    (await events())
      .filter(({ target }: { target: { id: string } }) => target.id === id)
      .map(({ type, data }: { type: string; data: { days?: number } }) =>
        type === 'token.expired' ? 0 : data.days,
      );

  it('tell of each token 14, 7 and 1 days before its end, and when it is over, once each', async () => {
    const { id } = await create({ expiresIn: '90d' });
    const seen = [];
    for (const days of [90, 14.1, 13.9, 10, 7.1, 6.9, 1.1, 0.9, 0.1, 0, -1]) {
      await endIn(id, days);
      await warn();
      await warn();
      seen.push([days, await told(id)]);
    }
    expect(Object.fromEntries(seen.map(([days, list]) => [String(days), list]))).toEqual({
      90: [],
      14.1: [],
      13.9: [14],
      10: [14],
      7.1: [14],
      6.9: [14, 7],
      1.1: [14, 7],
      0.9: [14, 7, 1],
      0.1: [14, 7, 1],
      0: [14, 7, 1, 0],
      '-1': [14, 7, 1, 0],
    });
  });

  it('tell only the nearest of several that passed unseen', async () => {
    const [soon, over] = [await create({ expiresIn: '90d' }), await create({ expiresIn: '90d' })];
    await endIn(soon.id, 0.5);
    await endIn(over.id, -3);
    await warn();
    expect([await told(soon.id), await told(over.id)]).toEqual([[1], [0]]);
  });

  it('warn of no time that is longer than the term', async () => {
    const [week, days] = [await create({ expiresIn: '7d' }), await create({ expiresIn: '5d' })];
    await warn();
    expect([await told(week.id), await told(days.id)]).toEqual([[7], []]);
    await endIn(days.id, 1);
    await warn();
    expect(await told(days.id)).toEqual([1]);
  });

  it('warn of no end that a rotation has set, but tell when it is over', async () => {
    const [limited, forever] = [await create({ expiresIn: '90d' }), await create()];
    for (const { id } of [limited, forever]) {
      await api.post(`/v1/tokens/${id}/rotate`, { overlap: '168h' }).expect(201);
      await warn();
      await endIn(id, 0.5);
      await warn();
      expect(await told(id)).toEqual([undefined]); // the rotation itself
      await endIn(id, 0);
      await warn();
      expect(await told(id)).toEqual([undefined, 0]);
    }
  });

  it('still warn of a token that ends before the overlap of its rotation', async () => {
    const { id } = await create({ expiresIn: '90d' });
    await endIn(id, 5);
    await api.post(`/v1/tokens/${id}/rotate`, { overlap: '168h' }).expect(201);
    await warn();
    expect(await told(id)).toEqual([undefined, 7]);
  });

  it('tell nothing of a revoked token', async () => {
    const { id } = await create({ expiresIn: '90d' });
    await endIn(id, 3);
    await api.delete(`/v1/tokens/${id}`).expect(204);
    await warn();
    await endIn(id, -1);
    await warn();
    expect((await events()).map(({ type }: { type: string }) => type)).toEqual(['token.revoked']);
  });

  it('come from the service, and have the record of the token', async () => {
    const { id } = await create({ expiresIn: '90d' });
    for (const days of [6, 0]) {
      await endIn(id, days);
      await warn();
      const record = await get(id);
      const [event] = (await api.get('/api/v1/events?order=desc&limit=1').expect(200)).body.data;
      expect(event).toMatchObject({
        type: days ? 'token.expiring' : 'token.expired',
        source: 'service',
        actor: { type: 'system', id: null, name: 'system' },
        target: { type: 'token', id },
        requestId: null,
        data: days ? { token: record, days: 7 } : { token: record },
      });
    }
  });
});
