import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import type { Response } from 'supertest';
import { TokensService } from '../../src/tokens/tokens.service';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { formOf, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { withoutDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { basic, exchange, expectFailure, newNetwork } from '../support/oauth';
import { untilBlocked } from '../support/until';

const { service, admin, aParent, childOf, replica } = useParents();

let parent: Client;
beforeEach(async () => (parent = await aParent()));

/** The form as text, with more text after it. */
const textOf = (more = '') => new URLSearchParams(formOf(parent)).toString() + more;

/** A part of the response: of a token, or of a failure. */
type Answer = { scope: string } | { error: string; error_description?: string };

const GRANTED: Answer = { scope: 'users:read users:write' };
const TWICE: Answer = { error: 'invalid_request', error_description: 'A field must not stand twice.' };

function expectAnswer(answer: Response, expected: Answer, what: string): void {
  if ('error' in expected) expectFailure(answer, expected.error);
  expect([what, answer.body]).toMatchObject([what, expected]);
}

describe('POST /oauth/token', () => {
  it('exchanges a token, without a Bearer token', async () => {
    const sent = { headers: { 'X-Request-ID': 'my.request-1' } };
    const { status, body, headers } = await requestToken(service, formOf(parent), sent);
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^umt_[0-9A-Za-z]{38}$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'users:read users:write',
      },
    ]);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'my.request-1',
    });
    const failure = await requestToken(service, {}, sent);
    expect([failure.status, failure.headers['x-request-id']]).toEqual([400, 'my.request-1']);
  });

  it('is the only method', async () => {
    for (const method of ['get', 'head', 'put', 'delete', 'options'] as const) {
      const answer = await service.anonymous().send(method, '/oauth/token').set('X-Request-ID', 'request-1');
      expect([method, answer.status, answer.headers, answer.body]).toMatchObject([
        method,
        405,
        {
          allow: 'POST',
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
          'x-request-id': 'request-1',
        },
        method === 'head'
          ? {}
          : { error: 'invalid_request', error_description: 'Method not allowed. Use POST.' },
      ]);
    }
  });

  it('has nothing below it, no query and no Idempotency-Key', async () => {
    for (const more of ['/', '/x', '%2F']) {
      const { status, body } = await requestToken(service, formOf(parent), { path: `/oauth/token${more}` });
      expect([status, body]).toMatchObject([404, { code: 'not_found', status: 404 }]);
    }
    for (const sent of [
      ...['?scope=users:read', '?x', '?%C3%A9%22%5C='].map((query) => ({ path: `/oauth/token${query}` })),
      ...['1', ''].map((key) => ({ headers: { 'Idempotency-Key': key } })),
    ])
      expectFailure(await requestToken(service, formOf(parent), sent), 'invalid_request');
  });
});

it('reads each field of a form once, ignores what it does not know, and needs a grant_type', async () => {
  const REQUIRED = { error: 'invalid_request', error_description: 'The field grant_type is required.' };
  const rows: [string, Answer][] = [
    // Fields that are unknown are ignored, and empty ones count as absent.
    ['FORM&audience=x&resource=&constructor=1&__proto__=2', GRANTED],
    ['FORM&scope=&assertion=&organization_id=', GRANTED],
    ['grant_type=client_credentials&client_id=x&client_secret=', { error: 'invalid_client' }],
    ['FORM&%73cope=users%3Aread+users%3awrite', GRANTED],
    ['FORM&scope=users:read&scope=users:read', TWICE],
    ['FORM&scope=&scope=users:read', TWICE],
    ['FORM&client_secret=', TWICE],
    ['FORM&audience=&audience=', TWICE],
    ['FORM&a=1&%61=2', TWICE],
    ['FORM&=1&=2', TWICE],
    ['', REQUIRED],
    ['grant_type=', REQUIRED],
    ['client_id=x&client_secret=x', REQUIRED],
    ['grant_type=client_credentials+', { error: 'unsupported_grant_type' }],
    ['grant_type=Client_Credentials', { error: 'unsupported_grant_type' }],
    ['grant_type=password', { error: 'unsupported_grant_type' }],
    ['grant_type=constructor', { error: 'unsupported_grant_type' }],
    [
      'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer',
      {
        error: 'unsupported_grant_type',
        error_description: 'This service exchanges no assertions: no issuer is configured.',
      },
    ],
  ];
  for (const [form, answer] of rows)
    expectAnswer(await requestToken(service, form.replace('FORM', textOf())), answer, form);
});

describe('the body', () => {
  const FORM = 'application/x-www-form-urlencoded';
  const TYPE = { 'Content-Type': FORM };
  const OK = [200, undefined];
  const INVALID = [400, 'invalid_request'];

  /** Sends a body of any type. Returns the status and the error. */
  async function send(body: RequestInit['body'], headers: Record<string, string>) {
    const init = { method: 'POST', headers: { ...newNetwork(), ...headers }, body, duplex: 'half' };
    const response = await fetch(`${service.url}/oauth/token`, init as RequestInit);
    return [response.status, ((await response.json()) as { error?: string }).error];
  }

  it('is a form by its type, and in UTF-8', async () => {
    const rows: [Record<string, string>, unknown[]][] = [
      [{ 'Content-Type': FORM.toUpperCase() }, OK],
      [{ 'Content-Type': `${FORM};charset="utf-8"` }, OK],
      [{}, INVALID],
      [{ 'Content-Type': 'application/json' }, INVALID],
      [{ 'Content-Type': 'multipart/form-data; boundary=x' }, INVALID],
      [{ 'Content-Type': `${FORM}, ${FORM}` }, INVALID],
      [{ 'Content-Type': `${FORM}; charset=iso-8859-1` }, INVALID],
      [{ 'Content-Type': FORM, 'Content-Encoding': 'gzip' }, INVALID],
      [{ 'Content-Type': FORM, 'Content-Encoding': 'identity' }, INVALID],
    ];
    for (const [headers, expected] of rows)
      expect({ headers, answer: await send(Buffer.from(textOf()), headers) }).toEqual({
        headers,
        answer: expected,
      });
    for (const headers of [TYPE, {}]) expect(await send(undefined, headers)).toEqual(INVALID);
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]])
      expect(await send(Buffer.from([...Buffer.from(textOf('&x=')), ...bytes]), TYPE)).toEqual(INVALID);
    expect(await send(Buffer.from(textOf('&x=ü')), TYPE)).toEqual(OK);
  });

  /** A form of so many bytes. */
  const formOfBytes = (bytes: number, more = '') => textOf(`${more}&x=`).padEnd(bytes, 'x');
  const fields = (count: number) => Array.from({ length: count - 3 }, (_, i) => `&x${i}=`).join('');

  it('has limits, and is counted as it arrives if it comes without a length', async () => {
    const SHORT = 'A form without an assertion must not exceed 16 KB.';
    const rows: [string, string, string | null][] = [
      ['16 KB without an assertion', formOfBytes(16_384), null],
      ['a byte more', formOfBytes(16_385), SHORT],
      ['a byte more with an empty assertion', formOfBytes(16_385, '&assertion='), SHORT],
      ['64 KB with an assertion', formOfBytes(65_536, '&assertion=x'), null],
      [
        'a byte more with an assertion',
        formOfBytes(65_537, '&assertion=x'),
        'The request body must not exceed 64 KB.',
      ],
      ['50 fields', textOf(fields(50)), null],
      ['51 fields', textOf(fields(51)), 'The form must have at most 50 fields.'],
      ['51 fields, most without a name', textOf('&'.repeat(48)), 'The form must have at most 50 fields.'],
    ];
    for (const [what, form, refusal] of rows) {
      const expected = refusal ? { error: 'invalid_request', error_description: refusal } : GRANTED;
      expectAnswer(await requestToken(service, form), expected, what);
    }
    const chunked = (bytes: number) => send(new Blob([formOfBytes(bytes)]).stream(), TYPE);
    expect([await chunked(16_384), await chunked(16_385)]).toEqual([OK, INVALID]);
  });
});

/** The header of HTTP Basic with this text. */
const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const right = ({ tokenId, tokenValue }: Client) => basic(tokenId, tokenValue).Authorization;

/** Sends the header of a client with these fields. */
const withHeader = (Authorization: string, fields: Record<string, string> = {}) =>
  requestToken(service, { grant_type: 'client_credentials', ...fields }, { headers: { Authorization } });

describe('Authorization', () => {
  /** The text with all of its characters encoded. */
  const escaped = (text: string) =>
    [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  it('is that of HTTP Basic, which nothing in the form contradicts or completes', async () => {
    const { tokenId, tokenValue } = parent;
    const [id, secret, form] = [{ client_id: tokenId }, { client_secret: tokenValue }, formOf(parent)];
    const header = right(parent);
    const bearer = `Bearer ${admin.tokenValue}`;
    const DENIED = { error: 'invalid_client' };
    const INVALID = { error: 'invalid_request' };
    const rows: [string, Record<string, string>, Answer][] = [
      [header, {}, GRANTED],
      [header.replace('Basic', 'bAsIc'), {}, GRANTED],
      [encoded(`${escaped(tokenId)}:${escaped(tokenValue)}`), {}, GRANTED], // both are encoded as in a form
      [encoded(`${tokenId}:+${tokenValue}`), {}, DENIED],
      [encoded(`${tokenId}:${tokenValue}%20`), {}, DENIED],
      [encoded(`${tokenId}:${newTokenValue()}`), {}, DENIED],
      [header, { scope: 'admin' }, { error: 'invalid_scope' }],
      // What stands beside it in the form.
      [header, id, GRANTED],
      [header, { client_id: 'x' }, INVALID],
      [header, secret, INVALID],
      [header, form, INVALID],
      ['Basic', form, INVALID],
      // A malformed one is not completed by the form.
      ['Basic', id, DENIED],
      ['basic !!!', id, DENIED],
      [encoded('no colon'), id, DENIED],
      [encoded(`${tokenId}:`), id, DENIED],
      [encoded(`:${tokenValue}`), {}, DENIED],
      [encoded('%zz:x'), {}, DENIED],
      [encoded('x:%e2%82'), {}, DENIED], // no UTF-8
      // Any other scheme is ignored.
      [bearer, form, GRANTED],
      ['Basically x', form, GRANTED],
      [bearer, {}, DENIED],
      ['Basically x', {}, DENIED],
    ];
    for (const [sent, fields, expected] of rows) {
      const answer = await withHeader(sent, fields);
      expectAnswer(answer, expected, `${sent} ${JSON.stringify(fields)}`);
      const isChallenged = expected === DENIED && /^basic( |$)/i.test(sent);
      expect(answer.headers['www-authenticate']).toBe(isChallenged ? 'Basic' : undefined);
    }
  });

  it('is in no log, whether it is right or wrong', async () => {
    /** What is logged about a request, whose line is written when its connection is free again. */
    async function logged(authorization: string) {
      const { headers } = await withHeader(authorization);
      for (;;) {
        const lines = service.logs.filter((line) => line.includes(headers['x-request-id']));
        if (lines.length > 0) return [lines.join(), JSON.parse(lines[0])];
        await turn();
      }
    }
    const wrong = encoded(`${parent.tokenId}:${newTokenValue()}`);
    const [refusal, refused] = await logged(wrong);
    expect(refused).toMatchObject({ route: '/oauth/token', status: 401, refusal: 'invalid_client' });
    const [admission, admitted] = await logged(right(parent));
    expect(admitted).toMatchObject({ route: '/oauth/token', status: 200, tokenId: parent.tokenId });
    for (const header of [wrong, right(parent)]) expect(refusal + admission).not.toContain(header.slice(6));
  });
});

describe('a client', () => {
  const send = (client_id: string, client_secret: string) =>
    requestToken(service, { grant_type: 'client_credentials', client_id, client_secret });
  const refused = async (id: string, value: string): Promise<string> => {
    const answer = await send(id, value);
    expectFailure(answer, 'invalid_client');
    expect(answer.headers['www-authenticate']).toBeUndefined();
    return answer.body.error_description;
  };

  it('is the token that its secret belongs to', async () => {
    const [other, stranger] = [await aParent(), await service.client()];
    for (const { tokenId } of [other, stranger, admin]) await refused(tokenId, parent.tokenValue);
    for (const id of [parent.tokenId.toUpperCase(), ` ${parent.tokenId}`, parent.organizationId, ''])
      await refused(id, parent.tokenValue);
  });

  it('is told nothing of why it is refused', async () => {
    const [revoked, expired] = [await aParent(), await aParent()];
    await admin.delete(`/v1/tokens/${revoked.tokenId}`).expect(204);
    await service.dataSource.query(`UPDATE tokens SET expires_at = now() - interval '1 ms' WHERE id = $1`, [
      expired.tokenId,
    ]);
    const reasons = [
      await refused(revoked.tokenId, revoked.tokenValue),
      await refused(expired.tokenId, expired.tokenValue),
      await refused(parent.tokenId, newTokenValue()),
      await refused(parent.tokenId, 'secret'),
      await refused(admin.tokenId, parent.tokenValue),
    ];
    expect(new Set(reasons).size).toBe(1);
  });

  it('is no token that this endpoint has made', async () => {
    const child = await childOf(parent);
    const { body: record } = await child.get('/v1/tokens/current').expect(200);
    await refused(record.id, child.tokenValue);
    await refused(parent.tokenId, child.tokenValue);
  });

  it('may be the token of a sign-in', async () => {
    const person = { issuer: 'https://login.example.com', subject: '42', name: 'Ada' };
    const { token, value } = await service.app
      .get(TokensService)
      .createFor(parent.organizationId, { name: 'Ada', scopes: ['admin'] }, { createdBy: person, hours: 8 });
    const { status, body } = await send(token.id, value);
    expect([status, body.scope]).toEqual([200, 'admin']);
    const { body: record } = await parent.withValue(body.access_token).get('/v1/tokens/current').expect(200);
    expect(record).toMatchObject({ parentId: token.id, createdBy: null });
  });
});

describe('a network that has failed 60 times in a minute', () => {
  /** Fails so often, in every way that is the caller's fault, on two replicas in turn. */
  async function fail(headers: Record<string, string>, count: number): Promise<void> {
    const right = formOf(parent);
    const ways = [
      { ...right, client_secret: 'wrong' },
      { ...right, grant_type: 'password' },
      { ...right, scope: 'admin' },
      'grant_type=client_credentials&grant_type=client_credentials',
    ];
    const wayOf = (i: number) => (i >> 1) % ways.length;
    const urls = [service.url, (await replica()).url];
    const sent = Array.from({ length: count }, (_, i) => exchange(urls[i % 2], ways[wayOf(i)], { headers }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, i) => (wayOf(i) === 0 ? 401 : 400)));
  }

  it('is refused on every replica, unless it is right, in 8 KB at most', async () => {
    const headers = newNetwork();
    const rightIn = (bytes: number, url = service.url) =>
      exchange(url, textOf('&x=').padEnd(bytes, 'x'), { headers });
    await fail(headers, 59);
    // What it does right does not count, and it is not over its limit yet.
    for (let i = 0; i < 5; i++) expect((await rightIn(8_193)).status).toBe(200);
    const wrong = formOf(parent, { client_secret: 'wrong' });
    expectFailure(await exchange(service.url, wrong, { headers }), 'invalid_client');
    for (const { url } of [service, await replica()]) {
      const refused = await exchange(url, wrong, { headers });
      expectFailure(refused, 'slow_down');
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect((await rightIn(8_192, url)).status).toBe(200);
      expectFailure(await rightIn(8_193, url), 'slow_down'); // it is not read
      expectFailure(await exchange(url, wrong, { headers: newNetwork() }), 'invalid_client');
    }
  });
});

describeOn('postgres', 'a token that is revoked while it is exchanged', () => {
  it('is no client', async () => {
    const other = new pg.Client(service.env.DATABASE_URL);
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [parent.tokenId]);
      const answer = requestToken(service, formOf(parent));
      await untilBlocked(service.dataSource);
      await other.query('COMMIT');
      expectFailure(await answer, 'invalid_client');
    } finally {
      await other.end();
    }
  });
});

describeOn('postgres', 'while the database is away', () => {
  it('an exchange and a failure are a 503', async () => {
    await withoutDatabase(service.dataSource, async () => {
      for (const form of [formOf(parent), { grant_type: 'password' }]) {
        const answer = await requestToken(service, form);
        expectFailure(answer, 'temporarily_unavailable');
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }
    });
    expect((await requestToken(service, formOf(parent))).status).toBe(200);
  });
});
