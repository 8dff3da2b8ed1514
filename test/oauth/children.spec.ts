import { TokensService } from '../../src/tokens/tokens.service';
import { runJob } from '../support/background';
import { formOf, requestToken, useParents } from '../support/children';
import { aUser, type Client } from '../support/client';
import { type Clock, fakeClock } from '../support/clock';
import { describeOn } from '../support/engine';
import { run } from '../support/process';
import { until } from '../support/until';

const { service, admin, aParent, childOf, childrenOf, replica } = useParents();

let clock: Clock;
beforeAll(async () => {
  clock = await fakeClock(service.dataSource);
  await service.dataSource.query('ALTER TABLE tokens ALTER created_at SET DEFAULT public.now()');
});

const HOUR = 3_600;

const recordOf = async (client: Client) => (await client.get('/v1/tokens/current').expect(200)).body;
const tokens = () => service.app.get(TokensService);

/** The status of a request with each value, here and on another replica. */
async function statuses(clients: Client[]): Promise<number[]> {
  const other = await replica();
  const found = [];
  for (const client of clients)
    for (const url of [service.url, other.url])
      found.push((await fetch(`${url}/v1/tokens/current`, withToken(client))).status);
  return found;
}

const withToken = ({ tokenValue }: Client) => ({ headers: { Authorization: `Bearer ${tokenValue}` } });

describe('children of a token', () => {
  it.each<[string, (parent: Client) => Promise<unknown>]>([
    ['an administrator revokes', ({ tokenId }) => admin.delete(`/v1/tokens/${tokenId}`).expect(204)],
    ['revokes itself', (parent) => parent.delete('/v1/tokens/current').expect(204)],
    ['a host revokes', ({ organizationId, tokenId }) => tokens().revoke(organizationId, tokenId)],
    [
      'an administrator rotates without an overlap',
      ({ tokenId }) => admin.post(`/v1/tokens/${tokenId}/rotate`, { overlap: '0h' }).expect(201),
    ],
    [
      'a host rotates without an overlap',
      ({ organizationId, tokenId }) => tokens().rotate(organizationId, tokenId, { overlap: '0h' }),
    ],
  ])('that %s end with it, on every replica', async (_how, end) => {
    const [parent, other] = [await aParent(), await aParent()];
    const children = [await childOf(parent), await childOf(parent)];
    const nephew = await childOf(other);
    expect(await statuses(children)).toEqual([200, 200, 200, 200]);
    await end(parent);
    expect(await statuses(children)).toEqual([401, 401, 401, 401]);
    expect(await statuses([other, nephew])).toEqual([200, 200, 200, 200]);
    for (const child of await childrenOf(parent))
      expect(child).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) });
    expect((await requestToken(service, formOf(parent))).status).toBe(401);
  });

  it('end with it when it expires, on every replica', async () => {
    const parent = await aParent({ expiresIn: '1d' });
    await clock.pass(24 * HOUR - 1_800);
    const { body } = await requestToken(service, formOf(parent));
    expect(body.expires_in).toBeLessThanOrEqual(1_800);
    const child = parent.withValue(body.access_token);
    expect(await statuses([parent, child])).toEqual([200, 200, 200, 200]);
    await clock.pass(1_800);
    expect(await statuses([parent, child])).toEqual([401, 401, 401, 401]);
    expect(await childrenOf(parent)).toMatchObject([{ state: 'expired', revokedAt: null }]);
  });

  it('end after an hour, on every replica, and it does not', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    await clock.pass(HOUR - 60);
    expect(await statuses([child])).toEqual([200, 200]);
    await clock.pass(60);
    expect(await statuses([child, parent])).toEqual([401, 401, 200, 200]);
  });

  it('live on while the overlap of its rotation lasts, and no longer', async () => {
    const parent = await aParent();
    const before = await childOf(parent);
    await admin.post(`/v1/tokens/${parent.tokenId}/rotate`, { overlap: '1h' }).expect(201);
    const { expiresAt: end } = await recordOf(parent);
    await clock.pass(1_800);
    const after = await childOf(parent);
    expect((await recordOf(after)).expiresAt).toBe(end);
    expect(await statuses([parent, before, after])).toEqual([200, 200, 200, 200, 200, 200]);
    await clock.pass(1_800);
    expect(await statuses([parent, before, after])).toEqual([401, 401, 401, 401, 401, 401]);
  });

  it('are not those of the token that replaces it', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    const { body } = await admin.post(`/v1/tokens/${parent.tokenId}/rotate`, { overlap: '1h' }).expect(201);
    await admin.delete(`/v1/tokens/${body.id}`).expect(204);
    expect(await statuses([child])).toEqual([200, 200]);
    // A second rotation ends what the overlap of the first would have left.
    await admin.post(`/v1/tokens/${parent.tokenId}/rotate`, { overlap: '0h' }).expect(201);
    expect(await statuses([child])).toEqual([401, 401]);
  });

  it('can be revoked one by one, by themselves as well', async () => {
    const parent = await aParent();
    const [first, second, third] = [await childOf(parent), await childOf(parent), await childOf(parent)];
    await first.delete('/v1/tokens/current').expect(204);
    await admin.delete(`/v1/tokens/${(await recordOf(second)).id}`).expect(204);
    expect(await statuses([first, second, third, parent])).toEqual([401, 401, 401, 401, 200, 200, 200, 200]);
  });

  it('are revoked when they were, if their parent is revoked again', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    await child.delete('/v1/tokens/current').expect(204);
    const [{ revokedAt }] = await childrenOf(parent);
    await clock.pass(1);
    for (let i = 0; i < 2; i++) await admin.delete(`/v1/tokens/${parent.tokenId}`).expect(204);
    expect(await childrenOf(parent)).toMatchObject([{ revokedAt }]);
  });
});

describeOn('postgres', 'ums tokens', () => {
  it.each([
    ['revoke', (id: string) => ['tokens', 'revoke', id]],
    ['rotate --overlap 0h', (id: string) => ['tokens', 'rotate', id, '--overlap', '0h']],
  ])('%s ends the children of a token', async (_command, argumentsFor) => {
    const parent = await aParent();
    const child = await childOf(parent);
    const { code, stderr } = await run(argumentsFor(parent.tokenId), service.env);
    expect([code, stderr]).toEqual([0, '']);
    await child.get('/v1/tokens/current').expect(401);
  });
});

describe('the events', () => {
  interface Event {
    type: string;
    source: string;
    actor: object;
    target: object;
    data: { token?: object };
  }
  const events = async (query = ''): Promise<Event[]> =>
    (await admin.get(`/api/v1/events?limit=200${query}`).expect(200)).body.data;
  /** Of tokens, after those of so many that have been created. */
  const ofTokens = async (created: number) =>
    (await events()).filter(({ type }) => type.startsWith('token.')).slice(created);

  it('of what a child does name its parent, in the API as in SCIM', async () => {
    const parent = await aParent({ scopes: ['admin'] });
    const child = await childOf(parent);
    await child.createUser();
    await child
      .post('/scim/v2/Users', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: aUser().email,
      })
      .expect(201);
    await child.post('/v1/tokens', { name: 'Made', scopes: ['users:read'] }).expect(201);
    const actor = { type: 'token', id: parent.tokenId, name: 'CRM' };
    expect(await events(`&actor=${parent.tokenId}`)).toMatchObject([
      { type: 'user.created', source: 'api', actor },
      { type: 'user.created', source: 'scim', actor },
      { type: 'token.created', source: 'api', actor },
    ]);
    const { id } = await recordOf(child);
    expect(await events(`&actor=${id}`)).toEqual([]);
  });

  it('do not have that a child is made, ends, or ends with its parent', async () => {
    const [parent, rotated] = [await aParent(), await aParent()];
    for (const one of [parent, parent, rotated]) await childOf(one);
    expect(await ofTokens(3)).toEqual([]);
    await admin.delete(`/v1/tokens/${parent.tokenId}`).expect(204);
    await admin.post(`/v1/tokens/${rotated.tokenId}/rotate`, { overlap: '0h' }).expect(201);
    await childOf(admin);
    await clock.pass(HOUR);
    await runJob(service.app, 'warn of expiring tokens');
    expect(await ofTokens(3)).toMatchObject([
      { type: 'token.revoked', target: { id: parent.tokenId } },
      { type: 'token.rotated', target: { id: rotated.tokenId } },
    ]);
  });

  it('have no warning of the end of a child, but that of its parent', async () => {
    const parent = await aParent({ expiresIn: '1d' });
    await childOf(parent);
    const warned = async () => {
      await runJob(service.app, 'warn of expiring tokens');
      return (await events('&type=token.expiring,token.expired')).map(({ type, target }) => [type, target]);
    };
    const target = { type: 'token', id: parent.tokenId };
    expect(await warned()).toEqual([['token.expiring', target]]);
    await clock.pass(24 * HOUR);
    expect(await warned()).toEqual([
      ['token.expiring', target],
      ['token.expired', target],
    ]);
  });

  it('have that somebody revokes a child', async () => {
    const parent = await aParent();
    const [first, second] = [await childOf(parent), await childOf(parent)];
    const [{ id: firstId }, { id: secondId }] = [await recordOf(first), await recordOf(second)];
    await admin.delete(`/v1/tokens/${firstId}`).expect(204);
    await second.delete('/v1/tokens/current').expect(204);
    const token = { parentId: parent.tokenId, state: 'revoked' };
    expect(await ofTokens(2)).toMatchObject([
      {
        type: 'token.revoked',
        target: { type: 'token', id: firstId },
        actor: { type: 'token', id: admin.tokenId },
        data: { token: { ...token, id: firstId } },
      },
      {
        type: 'token.revoked',
        target: { type: 'token', id: secondId },
        actor: { type: 'token', id: parent.tokenId, name: 'CRM' },
        data: { token: { ...token, id: secondId } },
      },
    ]);
  });
});

it('the log names the parent of a child, which is still known when the child has been deleted', async () => {
  const parent = await aParent();
  const { id } = await recordOf(await childOf(parent));
  const ofChild = () => service.logs.find((line) => line.includes(id));
  expect(JSON.parse(await until(ofChild))) // it is written after the response
    .toMatchObject({ tokenId: id, parentId: parent.tokenId });
});

describe('what an exchange has made', () => {
  const REMOVE = 'delete ended tokens of exchanges';
  const stands = async (id: string): Promise<boolean> =>
    (await service.dataSource.query('SELECT FROM tokens WHERE id = $1', [id])).length > 0;

  it('is gone 24 hours after its end, and nothing else is', async () => {
    const parent = await aParent();
    const [child, revoked] = [await childOf(parent), await childOf(parent)];
    const ofExchanges = [(await recordOf(child)).id, (await recordOf(revoked)).id];
    await revoked.delete('/v1/tokens/current').expect(204);
    const create = async (input: object, fields: object = {}): Promise<string> =>
      (
        await tokens().createFor(
          admin.organizationId,
          { name: 'CI', scopes: ['users:read'], ...input },
          fields,
        )
      ).token.id;
    const who = { issuer: 'https://issuer.example.com', subject: '42', name: '42' };
    ofExchanges.push(await create({}, { createdBy: who, windowId: 'sub_x', hours: 1 }));
    const others = [await create({ expiresIn: '1d' }), await create({}, { createdBy: who, hours: 1 })];
    others.push(await create({}), parent.tokenId);
    await admin.delete(`/v1/tokens/${others[2]}`).expect(204);

    const standing = async () => {
      await runJob(service.app, REMOVE);
      return Promise.all([...ofExchanges, ...others].map(stands));
    };
    await clock.pass(25 * HOUR - 60);
    expect(await standing()).toEqual([true, true, true, true, true, true, true]);
    await clock.pass(120);
    expect(await standing()).toEqual([false, false, false, true, true, true, true]);
    await clock.pass(1_000 * HOUR);
    expect(await standing()).toEqual([false, false, false, true, true, true, true]);
    expect(await childrenOf(parent)).toEqual([]);
    await admin.get(`/v1/tokens/${ofExchanges[0]}`).expect(404);
  });
});
