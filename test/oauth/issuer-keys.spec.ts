/**
 * @only embedded: keys are read before the database is asked
 */
import type { ServerResponse } from 'node:http';
import type { Response } from 'supertest';
import { ACME, assertionOf, expectFailure, present, SUBJECT, useAssertions } from '../support/assertions';
import { useMonotonicClock } from '../support/clock';
import { DISCOVERY } from '../support/issuer';
import { useTimeouts } from '../support/timeouts';
import { until } from '../support/until';

const { issuer, service, exchanged } = useAssertions((issuer) =>
  ['', '/tenant', '/tenant/'].map((path) => `${issuer}${path} sub=${SUBJECT} -> ${ACME} users:read`),
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
const answerJson = (path: string, body: unknown) =>
  answerAt(path, (response) => response.end(JSON.stringify(body)));

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
  });

  it('are asked for every 10 s at most, however many assertions name a key that is not there', async () => {
    const strange = { ...issuer.signature, kid: 'strange' };
    const flood = async () => {
      const assertion = await assertionOf(issuer, {}, strange);
      for (const { status } of await Promise.all(
        Array.from({ length: 30 }, () => present(service, assertion)),
      ))
        expect(status).toBe(400);
    };
    await flood();
    await flood();
    expect(asked()).toEqual(BOTH);
    clock.pass(10 * SECOND - 1);
    await flood();
    expect(asked()).toEqual([]);
    clock.pass(1);
    await flood();
    expect(asked()).toEqual(BOTH);
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

  it.each(['/tenant', '/tenant/'])('are those of an issuer with a path: %s', async (path) => {
    const iss = `${issuer.url}${path}`;
    answerJson(`/tenant${DISCOVERY}`, { issuer: iss, jwks_uri: `${issuer.url}/keys` });
    expect((await exchanged({ iss })).status).toBe(200);
    expect(asked()).toEqual([`/tenant${DISCOVERY}`, '/keys']);
  });
});

describe('an issuer whose documents are not right', () => {
  const right = () => ({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });
  const long = 'x'.repeat(1_100_000);
  const MARKER = 'marker';

  it.each<[string, string, () => unknown, string]>([
    [
      'discovery is of another',
      DISCOVERY,
      () => ({ ...right(), issuer: `https://${MARKER}.example` }),
      'another identifier',
    ],
    [
      'discovery has a slash more',
      DISCOVERY,
      () => ({ ...right(), issuer: `${issuer.url}/` }),
      'another identifier',
    ],
    ['discovery names no issuer', DISCOVERY, () => ({ ...right(), issuer: undefined }), 'another identifier'],
    [
      'discovery names no keys',
      DISCOVERY,
      () => ({ ...right(), jwks_uri: undefined }),
      'no https:// address of its keys',
    ],
    [
      'discovery names keys over http',
      DISCOVERY,
      () => ({ ...right(), jwks_uri: `http://${MARKER}.example/keys` }),
      'no https:// address of its keys',
    ],
    [
      'discovery names keys in a file',
      DISCOVERY,
      () => ({ ...right(), jwks_uri: `file:///${MARKER}` }),
      'no https:// address of its keys',
    ],
    [
      'discovery names keys at no URL',
      DISCOVERY,
      () => ({ ...right(), jwks_uri: '/keys' }),
      'no https:// address of its keys',
    ],
    ['discovery is too long', DISCOVERY, () => ({ ...right(), long }), 'the response is too long'],
    ['discovery is null', DISCOVERY, () => null, 'null'],
    ['keys are too long', '/keys', () => ({ keys: issuer.keys, long }), 'the response is too long'],
    ['keys are no set', '/keys', () => ({ keys: MARKER }), 'JSON Web Key Set malformed'],
    ['keys are null', '/keys', () => null, 'JSON Web Key Set malformed'],
  ])('is a 503 whose reason is logged, without a value: %s', async (_what, path, body, reason) => {
    answerJson(path, body());
    await expectReason(reason);
  });

  it.each<[string, string, (response: ServerResponse) => unknown, string]>([
    [
      'discovery fails',
      DISCOVERY,
      (response) => response.writeHead(500).end(MARKER),
      'has answered with 500',
    ],
    [
      'discovery is not there',
      DISCOVERY,
      (response) => response.writeHead(404).end(MARKER),
      'has answered with 404',
    ],
    ['discovery is empty', DISCOVERY, (response) => response.writeHead(204).end(), 'has answered with 204'],
    [
      'discovery is no JSON',
      DISCOVERY,
      (response) => response.end(`${MARKER} <html>`),
      'not answered with JSON',
    ],
    ['discovery breaks off', DISCOVERY, (response) => response.destroy(), 'fetch failed'],
    ['keys fail', '/keys', (response) => response.writeHead(500).end(MARKER), 'has answered with 500'],
    ['keys are no JSON', '/keys', (response) => response.end(`${MARKER} <html>`), 'not answered with JSON'],
    ['keys break off', '/keys', (response) => response.destroy(), 'fetch failed'],
  ])('is a 503 whose reason is logged, without a value: %s', async (_what, path, answer, reason) => {
    answerAt(path, answer);
    await expectReason(reason);
  });

  it.each([
    [DISCOVERY, right],
    ['/keys', () => ({ keys: issuer.keys })],
  ])('is a 503 that follows no redirect: %s', async (path, body) => {
    answerJson('/moved', body());
    for (const status of [301, 302, 303, 307, 308]) {
      clock.pass(11 * SECOND);
      answerAt(path, (response) => response.writeHead(status, { Location: `${issuer.url}/moved` }).end());
      await expectReason('unexpected redirect');
    }
    expect(asked()).not.toContain('/moved');
  });

  it.each([
    ['discovery never comes', DISCOVERY, () => {}],
    ['discovery never ends', DISCOVERY, (response: ServerResponse) => response.write('{')],
    ['keys never come', '/keys', () => {}],
    ['keys never end', '/keys', (response: ServerResponse) => response.write('{')],
  ])('is a 503 after 5 s for both: %s', async (_what, path, answer) => {
    answerAt(path, (response) => {
      answer(response);
      setTimeout(timeouts.end, 20); // so that the head has arrived
    });
    await expectReason('It took too long.');
    expect(timeouts.times()).toEqual([5_000]);
  });

  it('is a 503 if nothing listens, and is asked again after 10 s', async () => {
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

  it('is no failure of the network that presents its assertions', async () => {
    answerAt(DISCOVERY, (response) => response.writeHead(500).end());
    const from = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
    const assertion = await assertionOf(issuer);
    for (let i = 0; i < 70; i++) expectUnavailable(await present(service, assertion, {}, from));
    expectFailure(await present(service, 'garbage', {}, from), 'invalid_grant', /no signed JWT/);
  });

  /** One exchange fails, and so does the next one without a question. The log says once why, and nothing else. */
  async function expectReason(reason: string): Promise<void> {
    const before = service.logs.length;
    expectUnavailable(await exchanged());
    const paths = asked();
    expectUnavailable(await exchanged());
    expect([paths.length <= 2, asked()]).toEqual([true, []]);
    const logged = service.logs.slice(before).filter((line) => line.includes('"TokenIssuers"'));
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 40,
        message: 'The keys of an issuer cannot be read; its assertions are not exchanged.',
        issuer: issuer.url,
      }),
    ]);
    expect(JSON.parse(logged[0]).reasons.join()).toContain(reason);
    expect(service.logs.slice(before).join()).not.toContain(MARKER);
  }
});
