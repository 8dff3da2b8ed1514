import type { Response } from 'supertest';
import { ACME, assertionOf, GLOBEX, present, useAssertions } from '../support/assertions';
import { Client } from '../support/client';
import { describeOn } from '../support/engine';
import { type FakeIssuer, startIssuer } from '../support/issuer';

let other: FakeIssuer;
beforeAll(async () => (other = await startIssuer()));
afterAll(() => other.down());

/** Each test has a subject of its own, and so a window. */
const SUBJECTS = ['a', 'b', 'c', 'd', 'e', 'f'];
const LIMIT = 10;

const { service, exchanged, replica } = useAssertions(
  (issuer) => [
    ...SUBJECTS.flatMap((sub) => [ACME, GLOBEX].map((id) => `${issuer} sub=${sub} -> ${id} users:read`)),
    ...SUBJECTS.map((sub) => `${other.url} sub=${sub} -> ${ACME} users:read`),
  ],
  { RATE_LIMIT_PER_MINUTE: `${LIMIT}` },
);

const inAcme = { organization_id: ACME };
const inGlobex = { organization_id: GLOBEX };
const remaining = ({ headers }: Response) => Number(headers['x-ratelimit-remaining']);
const get = (made: Response, at: { url: string } = service) =>
  new Client(at.url, { value: made.body.access_token }).get('/api/v1/users');

/** Uses up what a window has left, which is so much. */
async function useUp(made: Response, left: number): Promise<void> {
  for (let rest = left - 1; rest >= 0; rest--) expect(remaining(await get(made).expect(200))).toBe(rest);
}

function expectSlowDown({ status, body, headers }: Response): void {
  expect([status, body]).toEqual([429, { error: 'slow_down', error_description: expect.any(String) }]);
  expect(headers).toMatchObject({ 'x-ratelimit-limit': `${LIMIT}`, 'x-ratelimit-remaining': '0' });
  const seconds = Number(headers['retry-after']);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(Math.abs(Number(headers['x-ratelimit-reset']) - Date.now() / 1000 - seconds)).toBeLessThan(30);
}

it('two tokens of a subject share one window, in which exchanges count, too', async () => {
  const first = await exchanged({ sub: 'a' }, inAcme);
  expect([first.status, remaining(first)]).toEqual([200, LIMIT - 1]);
  const second = await exchanged({ sub: 'a', jti: 'another' }, inAcme);
  expect([second.status, remaining(second)]).toEqual([200, LIMIT - 2]);
  expect(second.headers['x-ratelimit-reset']).toBe(first.headers['x-ratelimit-reset']);
  expect(remaining(await get(first).expect(200))).toBe(LIMIT - 3);
  await useUp(second, LIMIT - 3);
  for (const made of [first, second]) {
    const { body } = await get(made).expect(429);
    expect(body.code).toBe('rate_limited');
  }
  expectSlowDown(await exchanged({ sub: 'a' }, inAcme));
});

it('an exchange that fails for its scope counts, and one that no rule lets in does not', async () => {
  const wrong = await exchanged({ sub: 'b' }, { ...inAcme, scope: 'admin' });
  expect([wrong.status, remaining(wrong)]).toEqual([400, LIMIT - 1]);
  for (const answer of [await exchanged({ sub: 'nobody' }), await exchanged({ sub: 'b' })])
    expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([400, undefined]);
  expect(remaining(await exchanged({ sub: 'b' }, inAcme))).toBe(LIMIT - 2);
});

describe('a window of its own has', () => {
  const usedUp = async (sub: string) => {
    await useUp(await exchanged({ sub }, inAcme), LIMIT - 1);
    expectSlowDown(await exchanged({ sub }, inAcme));
  };

  it('another subject', async () => {
    await usedUp('c');
    expect(remaining(await exchanged({ sub: 'd' }, inAcme))).toBe(LIMIT - 1);
  });

  it('the same subject in another organization', async () => {
    await usedUp('e');
    expect(remaining(await exchanged({ sub: 'e' }, inGlobex))).toBe(LIMIT - 1);
  });

  it('the same subject of another issuer', async () => {
    await usedUp('f');
    const answer = await present(service, await assertionOf(other, { sub: 'f' }));
    expect([answer.status, remaining(answer)]).toEqual([200, LIMIT - 1]);
  });
});

describeOn('postgres', 'on two replicas', () => {
  it('the tokens and the exchanges of a subject share one window', async () => {
    const second = await replica();
    const here = await exchanged({ sub: 'd' }, inGlobex);
    const there = await exchanged({ sub: 'd' }, inGlobex, second);
    expect([remaining(here), remaining(there)]).toEqual([LIMIT - 1, LIMIT - 2]);
    for (let left = LIMIT - 3; left >= 0; left--)
      expect(remaining(await get(left % 2 ? here : there, left % 3 ? service : second).expect(200))).toBe(
        left,
      );
    for (const at of [service, second]) {
      await get(there, at).expect(429);
      expectSlowDown(await exchanged({ sub: 'd' }, inGlobex, at));
    }
  });
});
