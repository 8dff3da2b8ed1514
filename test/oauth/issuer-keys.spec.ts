import type { ServerResponse } from 'node:http';
import type { Response } from 'supertest';
import { ACME, assertionOf, present, SUBJECT, useAssertions } from '../support/assertions';
import { aUser } from '../support/client';
import { useMonotonicClock } from '../support/clock';
import { DISCOVERY, type FakeIssuer, startIssuer } from '../support/issuer';
import { exchange, expectFailure } from '../support/oauth';
import { useTimeouts } from '../support/timeouts';
import { until } from '../support/until';

/** Two issuers that never answer, and one whose keys are read while they do not. */
let silent: FakeIssuer[];
let other: FakeIssuer;
beforeAll(async () => {
  [other, ...silent] = await Promise.all([1, 2, 3].map(() => startIssuer()));
  for (const issuer of silent) issuer.answerAt(DISCOVERY, () => {});
});
afterAll(() => Promise.all([other, ...silent].map((issuer) => issuer.down())));

const { issuer, service, exchanged } = useAssertions(
  (url) =>
    [url, `${url}/tenant`, `${url}/tenant/`, other.url, ...silent.map(({ url }) => url)].map(
      (url) => `${url} sub=${SUBJECT} -> ${ACME} admin`,
    ),
  { RATE_LIMIT_PER_MINUTE: '100000' },
);
const clock = useMonotonicClock();
const timeouts = useTimeouts();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The paths that the issuer has been asked for since the last call. */
const asked = () => issuer.requests.paths.splice(0);
const BOTH = [DISCOVERY, '/keys'];

const restores: (() => void)[] = [];
/** Answers at a path of the issuer for the rest of the test. */
const answerAt = (path: string, answer: (response: ServerResponse) => unknown) =>
  void restores.push(issuer.answerAt(path, answer));
const json = (body: unknown) => (response: ServerResponse) => response.end(JSON.stringify(body));

// Each test begins with keys that are too old, and an issuer that may be asked and shows one key.
beforeEach(() => {
  clock.pass(11 * MINUTE);
  issuer.keys.splice(1);
  asked();
});
afterEach(() =>
  restores
    .splice(0)
    .reverse()
    .forEach((restore) => restore()),
);

function expectUnavailable({ status, body, headers }: Response): void {
  expect([status, body]).toEqual([
    503,
    {
      error: 'temporarily_unavailable',
      error_description: 'The issuer of the assertion does not answer. Try again.',
    },
  ]);
  expect(headers).toMatchObject({
    'retry-after': expect.stringMatching(/^\d+$/),
    'cache-control': 'no-store',
    'x-request-id': expect.any(String),
  });
}

describe('the keys of an issuer', () => {
  it('are not read before an assertion names it', async () => {
    await present(service, 'garbage');
    await exchanged({ iss: 'https://evil.example' });
    expect(asked()).toEqual([]);
  });

  it('are kept for 10 minutes', async () => {
    expect((await exchanged()).status).toBe(200);
    expect(asked()).toEqual(BOTH);
    clock.pass(10 * MINUTE - 1);
    expect((await exchanged()).status).toBe(200);
    expect(asked()).toEqual([]);
    clock.pass(1);
    expect((await exchanged()).status).toBe(200);
    expect(asked()).toEqual(BOTH);
  });

  it('are read once for 50 exchanges at once', async () => {
    let come = 0;
    const count = () => void ++come;
    const server = service.app.getHttpServer().on('request', count);
    answerAt('/keys', async (response) => {
      await until(() => come === 50);
      response.end(JSON.stringify({ keys: issuer.keys }));
    });
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchanged()));
    server.off('request', count);
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(asked()).toEqual(BOTH);
  });

  it('may change: a new one is noticed after 10 s at the latest, and an old one that is gone no longer counts', async () => {
    expect((await exchanged()).status).toBe(200);
    const [old] = issuer.keys;
    const next = await issuer.addKey('RS256', 'next');
    issuer.keys.shift();
    asked();
    const withNext = async () => present(service, await assertionOf(issuer, {}, next));
    clock.pass(10 * SECOND - 1);
    expectFailure(await withNext(), 'invalid_grant', /no valid signature/);
    expect(asked()).toEqual([]);
    clock.pass(1);
    expect((await withNext()).status).toBe(200);
    expect(asked()).toEqual(BOTH);
    expectFailure(await exchanged(), 'invalid_grant', /no valid signature/);
    issuer.keys.splice(0, 1, old);
    asked();
    for (const expected of [[], BOTH]) {
      for (let n = 0; n < 30; n++) {
        const strange = await assertionOf(issuer, {}, { ...issuer.signature, kid: 'strange' });
        expectFailure(await present(service, strange), 'invalid_grant', /no valid signature/);
      }
      expect(asked()).toEqual(expected);
      clock.pass(10 * SECOND);
    }
  });

  it('that are kept count on while the issuer is asked for a strange one, and while it fails', async () => {
    expect((await exchanged()).status).toBe(200);
    clock.pass(10 * SECOND);
    const isAsked = new Promise((done) => answerAt('/keys', done));
    const strange = present(service, await assertionOf(issuer, {}, { ...issuer.signature, kid: 'strange' }));
    await isAsked;
    expect((await exchanged()).status).toBe(200);
    timeouts.end();
    expectUnavailable(await strange);
    expect((await exchanged()).status).toBe(200);
  });

  it('are those of an issuer with a path, with a slash at its end or without', async () => {
    for (const path of ['/tenant', '/tenant/']) {
      const iss = `${issuer.url}${path}`;
      answerAt(`/tenant${DISCOVERY}`, json({ issuer: iss, jwks_uri: `${issuer.url}/keys` }));
      expect((await exchanged({ iss })).status).toBe(200);
      expect(asked()).toEqual([`/tenant${DISCOVERY}`, '/keys']);
    }
  });
});

describe('an issuer whose documents are not right is a 503', () => {
  const MARKER = 'marker';
  const long = 'x'.repeat(1_100_000);
  const NO_ADDRESS = 'no https:// address of its keys';
  const discovery = (change: object) =>
    json({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...change });
  /** Lets the time end once the head has arrived. */
  const never = (begin: (response: ServerResponse) => unknown) => (response: ServerResponse) => {
    begin(response);
    setTimeout(timeouts.end, 20);
  };

  it('for a reason that the log tells once, without what the issuer has sent', async () => {
    const ofBoth: [(response: ServerResponse) => unknown, string][] = [
      [(response) => response.writeHead(500).end(MARKER), 'has answered with 500'],
      [(response) => response.end(`${MARKER} <html>`), 'not answered with JSON'],
      [(response) => response.destroy(), 'fetch failed'],
      [
        (response) => response.writeHead(307, { Location: `${issuer.url}/moved` }).end(),
        'unexpected redirect',
      ],
      [never((response) => response.write('{')), 'It took too long.'],
    ];
    const rows: [string, (response: ServerResponse) => unknown, string][] = [
      ...[DISCOVERY, '/keys'].flatMap((path) => ofBoth.map((row): (typeof rows)[0] => [path, ...row])),
      [DISCOVERY, discovery({ issuer: `https://${MARKER}.example` }), 'another identifier'],
      [DISCOVERY, discovery({ issuer: `${issuer.url}/` }), 'another identifier'],
      [DISCOVERY, discovery({ issuer: undefined }), 'another identifier'],
      [DISCOVERY, discovery({ jwks_uri: undefined }), NO_ADDRESS],
      [DISCOVERY, discovery({ jwks_uri: `http://${MARKER}.example` }), NO_ADDRESS],
      [DISCOVERY, discovery({ long }), 'the response is too long'],
      [DISCOVERY, json(null), 'null'],
      [DISCOVERY, (response) => response.writeHead(204).end(), 'has answered with 204'],
      [DISCOVERY, never(() => {}), 'It took too long.'],
      ['/keys', json({ keys: issuer.keys, long }), 'the response is too long'],
      ['/keys', json({ keys: MARKER }), 'JSON Web Key Set malformed'],
      ['/keys', json(null), 'JSON Web Key Set malformed'],
    ];
    for (const [path, answer, reason] of rows) {
      clock.pass(11 * MINUTE);
      const restore = issuer.answerAt(path, answer);
      const before = timeouts.times().length;
      await expectReason(reason);
      expect(timeouts.times().slice(before)).toEqual([5_000]); // for both documents
      restore();
    }
  });

  it('if nothing listens, and is asked again after 10 s', async () => {
    await issuer.down();
    await expectReason('ECONNREFUSED');
    await issuer.up();
    clock.pass(10 * SECOND - 1);
    expectUnavailable(await exchanged());
    expect(asked()).toEqual([]);
    clock.pass(1);
    expect((await exchanged()).status).toBe(200);
    expect(asked()).toEqual(BOTH);
  });

  it('and no failure of the network that presents its assertions', async () => {
    answerAt(DISCOVERY, (response) => response.writeHead(500).end());
    const from = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
    const assertion = await assertionOf(issuer);
    for (let i = 0; i < 70; i++) expectUnavailable(await present(service, assertion, {}, from));
    expectFailure(await present(service, 'garbage', {}, from), 'invalid_grant', /no signed JWT/);
  });

  /** One exchange fails, and so does the next one without a question. The log says once why, without a value. */
  async function expectReason(reason: string): Promise<void> {
    const before = service.logs.length;
    expectUnavailable(await exchanged());
    const paths = asked();
    expectUnavailable(await exchanged());
    expect([paths.length <= 2, asked(), paths.includes('/moved')]).toEqual([true, [], false]);
    const logged = service.logs.slice(before).filter((line) => line.includes('"TokenIssuers"'));
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'The keys of an issuer cannot be read; its assertions are not exchanged.',
        issuer: issuer.url,
      }),
    ]);
    expect(JSON.parse(logged[0]).reasons.join()).toContain(reason);
    expect(service.logs.slice(before).join()).not.toContain(MARKER);
  }
});

describe('issuers that are silent', () => {
  it('leave room for others, also with 200 bodies of 60 KB from 20 networks', async () => {
    const api = await service.client();
    const padding = 'x'.repeat(60_000);
    expect((await exchanged()).status).toBe(200); // its keys are kept
    const statuses: number[] = [];
    const sent = Array.from({ length: 200 }, async (_, i) => {
      const headers = { 'X-Forwarded-For': `198.51.100.${i % 20}` };
      const assertion = await assertionOf(silent[i % 2]);
      statuses.push((await present(service, assertion, { padding }, { headers })).status);
    });
    // Most are refused although no time is over; some wait.
    await until(() => statuses.length >= 180);
    expect(statuses.length).toBeLessThan(200);

    for (const network of ['198.51.100.0', '198.51.100.1', '192.0.2.9']) {
      const headers = { 'X-Forwarded-For': network };
      const presented = async (by: FakeIssuer, padding: string) =>
        (await present(service, await assertionOf(by), { padding }, { headers })).status;
      const client = { client_id: api.tokenId, client_secret: api.tokenValue };
      // Only a form with an assertion may have more than 16 KB.
      const credentials = { grant_type: 'client_credentials', ...client, padding: padding.slice(0, 15_000) };
      const user = JSON.stringify(aUser()).padEnd(60_000);
      expect({
        'an issuer whose keys are kept': await presented(issuer, padding),
        'an issuer whose keys are read now': await presented(other, ''),
        'client credentials': (await exchange(service.url, credentials, { headers })).status,
        'a read': (await api.get('/api/v1/users').set(headers)).status,
        'a write': (await api.post('/api/v1/users').set(headers).type('json').send(user)).status,
      }).toEqual({
        'an issuer whose keys are kept': 200,
        'an issuer whose keys are read now': 200,
        'client credentials': 200,
        'a read': 200,
        'a write': 201,
      });
    }
    expect(other.requests.paths).toEqual(BOTH);
    timeouts.end();
    await Promise.all(sent);
    expect(statuses).toEqual(Array(200).fill(503));
  });
});
