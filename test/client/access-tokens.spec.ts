/**
 * @jest-environment node
 */
import type { RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { ApiError, type ConnectionOptions, createClient, type Credentials } from '../../client/index';
import { errorOf } from '../support/calls';
import { dropConnection, sending, startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint';

const SECRET = { clientId: 'tok_x', clientSecret: 'umt_a-secret' };
const JWT = 'header.claims.signature';

let endpoint: TokenEndpoint;
beforeEach(async () => (endpoint = await startTokenEndpoint()));
afterEach(async () => {
  jest.useRealTimers();
  await endpoint.close();
});

const clientOf = (credentials: Credentials = SECRET, options: Partial<ConnectionOptions> = {}) =>
  createClient({ baseUrl: endpoint.url, credentials, ...options });

/** Ends every wait between attempts at once. Returns their milliseconds. */
function skipWaits(): number[] {
  const waits: number[] = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((callback: () => void, ms?: number) => {
    waits.push(ms!);
    return setImmediate(callback) as unknown as NodeJS.Timeout;
  });
  return waits;
}

/** An answer that is sent when the test says so, and a promise that the request for it has arrived. */
function held(answer: RequestListener) {
  let arrived: () => void;
  let send: () => void;
  const sent = new Promise<void>((done) => (send = done));
  return {
    arrival: new Promise<void>((done) => (arrived = done)),
    release: () => send(),
    answer: ((request, response) => {
      arrived();
      void sent.then(() => answer(request, response));
    }) satisfies RequestListener,
  };
}

const issued = (value: string) => sending(200, { access_token: value, expires_in: 3600 });
const refusal = (status: number, error: string, headers?: Record<string, string>) =>
  sending(status, { error, error_description: `It is ${error}.` }, headers);

describe('an exchange', () => {
  it('sends an ID and a secret by HTTP Basic, form-encoded, below the path of the base URL', async () => {
    const credentials = { clientId: 'a b:ü', clientSecret: '100%+&=' };
    await clientOf(credentials, { baseUrl: `${endpoint.url}/internal/` }).users.get('usr_x');

    expect(endpoint.exchanges).toEqual([
      {
        path: '/internal/api/oauth/token',
        form: { grant_type: 'client_credentials' },
        headers: expect.objectContaining({
          authorization: `Basic ${Buffer.from('a+b%3A%C3%BC:100%25%2B%26%3D').toString('base64')}`,
          'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded\b/),
        }),
      },
    ]);
    expect(endpoint.calls).toEqual(['GET /internal/api/v1/users/usr_x Bearer umt_1']);
  });

  it('sends an assertion in the form, with the scopes and the organization', async () => {
    const some: Credentials[] = [
      { assertion: () => JWT, scopes: ['users:read', 'users:write'], organizationId: 'org_x' },
      { assertion: async () => JWT },
      { ...SECRET, scopes: ['users:read'] },
    ];
    for (const credentials of some) await clientOf(credentials).users.get('usr_x');

    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    expect(endpoint.exchanges.map(({ form }) => form)).toEqual([
      { grant_type, assertion: JWT, scope: 'users:read users:write', organization_id: 'org_x' },
      { grant_type, assertion: JWT },
      { grant_type: 'client_credentials', scope: 'users:read' },
    ]);
    expect(endpoint.exchanges[0].headers).not.toHaveProperty('authorization');
  });

  it('names the person of the client', async () => {
    await clientOf(SECRET, { onBehalfOf: 'Zoë' }).users.get('usr_x');
    await clientOf({ assertion: () => JWT }, { onBehalfOf: 'ada' }).users.get('usr_x');
    await clientOf().users.get('usr_x', { onBehalfOf: 'bob' }); // other calls share the token
    expect(endpoint.exchanges.map(({ headers }) => headers['x-on-behalf-of'])).toEqual([
      'Zo\u00c3\u00ab', // Node.js reads each byte as a character
      'ada',
      undefined,
    ]);
  });

  it('does not follow a redirect, which could send the assertion to another server', async () => {
    const other = await startTokenEndpoint();
    endpoint.answerExchanges(sending(307, '', { Location: `${other.url}/api/oauth/token` }));
    const error = await errorOf(clientOf({ assertion: () => JWT }).users.get('usr_x'));
    await other.close();
    expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('redirect') });
    expect(other.exchanges).toEqual([]);
  });
});

describe('a token', () => {
  const setClock = (seconds: number) =>
    jest.useFakeTimers({
      now: seconds * 1000,
      doNotFake: ['setTimeout', 'setInterval', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
    });

  it('is used until a minute before its end, or for half of a short life', async () => {
    for (const [expiresIn, used] of [
      [3600, 3540],
      [120, 60],
      [90, 45],
      [1, 0.5],
    ]) {
      const { users } = clientOf();
      endpoint.expiresIn = expiresIn;
      const [calls, exchanges] = [endpoint.calls.length, endpoint.exchanges.length];
      for (const time of [0, used - 0.001, used]) {
        setClock(1_000_000 + time);
        await users.get('usr_x');
      }
      expect(endpoint.calls.slice(calls).map((call) => call.split(' ').at(-1))).toEqual(
        [1, 1, 2].map((count) => `umt_${exchanges + count}`),
      );
    }
  });

  it('is shared by the calls that need it at the same time, at first and after its end', async () => {
    const { users } = clientOf();
    const calls = () => Promise.all(Array.from({ length: 20 }, () => users.get('usr_x')));
    await calls();
    expect(endpoint.exchanges).toHaveLength(1);
    setClock(Date.now() / 1000 + 3600);
    await calls();
    expect(endpoint.exchanges).toHaveLength(2);
    expect(endpoint.calls).toHaveLength(40);
  });

  it('comes from a new assertion each time', async () => {
    let count = 0;
    const { users } = clientOf({ assertion: () => `jwt-${++count}` });
    await users.get('usr_x');
    endpoint.revoke();
    await users.get('usr_x');
    expect(endpoint.exchanges.map(({ form }) => form.assertion)).toEqual(['jwt-1', 'jwt-2']);
  });
});

describe('a 401 of a call', () => {
  it('leads to another exchange, after which any call is repeated', async () => {
    const { tokens, users } = clientOf(SECRET, { retryBudgetMs: 0 });
    await users.get('usr_x');
    endpoint.revoke();
    await tokens.create({ name: 'CI', scopes: [] });
    endpoint.revoke();
    await users.update('usr_x', {});
    expect(endpoint.calls).toEqual([
      'GET /api/v1/users/usr_x Bearer umt_1',
      'POST /api/v1/tokens Bearer umt_1',
      'POST /api/v1/tokens Bearer umt_2',
      'PATCH /api/v1/users/usr_x Bearer umt_2',
      'PATCH /api/v1/users/usr_x Bearer umt_3',
    ]);
  });

  it('that all calls get at once leads to one exchange', async () => {
    const { users } = clientOf();
    await users.get('usr_x');
    endpoint.revoke();
    await Promise.all(Array.from({ length: 20 }, () => users.get('usr_x')));
    expect(endpoint.exchanges).toHaveLength(2);
  });

  it('that follows another one fails the call', async () => {
    const unauthorized = sending(
      401,
      { code: 'unauthorized', detail: 'No.' },
      { 'X-Request-ID': 'of-the-call' },
    );
    endpoint.answerCalls(unauthorized, unauthorized);
    const error = await errorOf(clientOf().users.get('usr_x'));
    expect(error).toMatchObject({ status: 401, code: 'unauthorized', requestId: 'of-the-call' });
    expect(endpoint.calls).toHaveLength(2);
    expect(endpoint.exchanges).toHaveLength(2);
  });

  it('is final with a token that the client has not exchanged', async () => {
    const client = createClient({ baseUrl: endpoint.url, token: () => 'umt_unknown' });
    expect(await errorOf(client.users.get('usr_x'))).toMatchObject({ status: 401, code: 'unauthorized' });
    expect(endpoint.calls).toHaveLength(1);
  });

  it('does not count as a deletion whose response was lost', async () => {
    const notFound = sending(404, { code: 'not_found', detail: 'There is no such user.' });
    endpoint.answerCalls(sending(401, { code: 'unauthorized', detail: 'No.' }), notFound);
    expect(await errorOf(clientOf().users.delete('usr_x'))).toMatchObject({ status: 404 });
  });
});

describe('a failed exchange', () => {
  it('rejects all calls that wait for it', async () => {
    for (const [status, code] of [
      [401, 'invalid_client'],
      [400, 'invalid_grant'],
    ] as const) {
      const { users, tokens } = clientOf();
      endpoint.answerExchanges(refusal(status, code, { 'X-Request-ID': 'of-the-exchange' }));
      const errors = await Promise.all(
        [users.get('usr_x'), tokens.rotate('tok_x')].map((call) => errorOf(call)),
      );
      const message = `It is ${code}.`;
      for (const error of errors) {
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status, code, message, requestId: 'of-the-exchange', errors: [] });
      }
      expect([endpoint.exchanges.splice(0).length, endpoint.calls.splice(0)]).toEqual([1, []]);
      await users.get('usr_x'); // the next call exchanges again
      expect([endpoint.exchanges.splice(0).length, endpoint.calls.splice(0).length]).toEqual([1, 1]);
    }
  });

  it('has the code unexpected if the response is not one of OAuth 2.0', async () => {
    for (const [status, answer] of [
      [404, sending(404, { code: 'not_found', detail: 'There is nothing here.' })],
      [500, sending(500, '<html>')],
      [200, sending(200, '<html>')],
      [200, sending(200, { access_token: 'umt_1' })],
    ] as const) {
      endpoint.answerExchanges(answer);
      expect(await errorOf(clientOf().users.get('usr_x'))).toMatchObject({
        status,
        code: 'unexpected',
        message: expect.stringMatching(/^Unexpected response to the exchange of the credentials: \d{3} /),
      });
    }
    expect(endpoint.exchanges).toHaveLength(4);
  });

  it('is retried after Retry-After, also for a call that is sent only once', async () => {
    const waits = skipWaits();
    endpoint.answerExchanges(
      refusal(429, 'slow_down', { 'Retry-After': '7' }),
      refusal(503, 'temporarily_unavailable', { 'Retry-After': '2' }),
      dropConnection,
      sending(502, '<html>'),
    );
    await clientOf().tokens.create({ name: 'CI', scopes: [] });
    expect(waits.slice(0, 2)).toEqual([7_000, 2_000]);
    expect(waits).toHaveLength(4);
    expect(endpoint.exchanges).toHaveLength(5);
    expect(endpoint.calls).toEqual(['POST /api/v1/tokens Bearer umt_5']);
  });

  it('is retried within the budget of the call, which its own attempts have spent, too', async () => {
    const waits = skipWaits();
    const later = { 'Retry-After': '20' };
    endpoint.answerExchanges(refusal(429, 'slow_down', { 'Retry-After': '31' }));
    expect(await errorOf(clientOf().users.get('usr_x'))).toMatchObject({ code: 'slow_down', retryAfter: 31 });

    endpoint.answerExchanges(refusal(503, 'temporarily_unavailable', later));
    endpoint.answerCalls(sending(503, { code: 'unavailable', detail: 'Later.' }, later));
    expect(await errorOf(clientOf().users.get('usr_x'))).toMatchObject({ code: 'unavailable' });
    expect(waits).toEqual([20_000]);
    expect(endpoint.calls).toHaveLength(1);
  });

  it('does not lead to a retry of a call that is sent only once', async () => {
    const waits = skipWaits();
    endpoint.answerExchanges(dropConnection);
    endpoint.answerCalls(sending(503, { code: 'unavailable', detail: 'Later.' }));
    expect(await errorOf(clientOf().users.update('usr_x', {}))).toMatchObject({ status: 503 });
    expect(waits).toHaveLength(1);
    expect(endpoint.calls).toHaveLength(1);
  });

  it('rejects the call with what the assertion threw', async () => {
    const reason = new Error('ENOENT');
    const assertion = () => Promise.reject(reason);
    expect(await errorOf(clientOf({ assertion }).users.get('usr_x'))).toBe(reason);
    const error = await errorOf(clientOf({ assertion: () => '' }).users.get('usr_x'));
    expect(error).toEqual(new TypeError('The assertion is empty. credentials.assertion must return a JWT.'));
    expect(endpoint.exchanges).toEqual([]);
  });
});

describe('a call that waits for an exchange', () => {
  it('can be aborted, and the others get its token', async () => {
    const { answer, arrival, release } = held(issued('umt_held'));
    endpoint.answerExchanges(answer);
    endpoint.answerCalls(sending(200, { id: 'usr_x' }));
    const { users } = clientOf();
    const controller = new AbortController();
    const aborted = errorOf(users.get('usr_x', { signal: controller.signal }));
    const other = users.get('usr_x');
    await arrival;
    const reason = new Error('aborted');
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    release();
    expect(await other).toEqual({ id: 'usr_x' });
    expect(endpoint.exchanges).toHaveLength(1);
    expect(endpoint.calls).toEqual(['GET /api/v1/users/usr_x Bearer umt_held']);
  });

  it('can be aborted alone; the failure of the exchange disturbs nobody then', async () => {
    const { answer, arrival, release } = held(dropConnection);
    endpoint.answerExchanges(answer);
    const { users } = clientOf();
    const controller = new AbortController();
    const aborted = errorOf(users.get('usr_x', { signal: controller.signal }));
    await arrival;
    controller.abort(new Error('aborted'));
    expect(await aborted).toMatchObject({ message: 'aborted' });
    release();
    await users.get('usr_x'); // an unhandled rejection would end the process
  });

  it('does not wait forever for an assertion, and the next call asks for another', async () => {
    const timeouts: AbortController[] = [];
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      timeouts.push(new AbortController());
      return timeouts.at(-1)!.signal;
    });
    let count = 0;
    const assertion = () => (count++ === 0 ? new Promise<string>(() => {}) : JWT);
    const { users } = clientOf({ assertion }, { retryBudgetMs: 0 });
    const late = errorOf(users.get('usr_x'));
    for (const timeout of timeouts) timeout.abort();
    expect(await late).toMatchObject({ code: 'unreachable', message: 'There was no token in time.' });
    await users.get('usr_x');
    expect(count).toBe(2);
  });
});

it('no error, and no client, shows a secret or an assertion', async () => {
  const hang: RequestListener = () => {};
  const answers = [
    refusal(401, 'invalid_client'),
    refusal(400, 'invalid_grant'),
    sending(200, '<html>'),
    dropConnection,
    hang,
  ];
  const shown: unknown[] = [];
  for (const credentials of [SECRET, { assertion: () => JWT }]) {
    const client = clientOf(credentials, { retryBudgetMs: 0, timeoutMs: 200 });
    endpoint.answerExchanges(...answers);
    for (const _ of answers) shown.push(await errorOf(client.users.get('usr_x')));
    shown.push(client);
  }
  const incomplete = async () => clientOf({ ...SECRET, clientId: '' });
  shown.push(await errorOf(incomplete()));
  const all = inspect(shown, { depth: Infinity, showHidden: true });
  expect(shown.length).toBeGreaterThan(10);
  for (const secret of [SECRET.clientSecret, btoa(`${SECRET.clientId}:${SECRET.clientSecret}`), JWT])
    expect(all).not.toContain(secret);
});
