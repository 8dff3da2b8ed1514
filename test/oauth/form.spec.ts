import request from 'supertest';
import { expectFailure, formOf, newNetwork, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { basic } from '../support/oauth';
import { exchange as exchangeBytes } from '../support/socket';

const { service, aParent } = useParents();

let parent: Client;
beforeEach(async () => (parent = await aParent()));

/** The form as text, with more text after it. */
const textOf = (more = '') => new URLSearchParams(formOf(parent)).toString() + more;

/** Sends a body of any type. */
const send = (body: string | Buffer, headers: Record<string, string>) =>
  request(service.url)
    .post('/oauth/token')
    .set({ ...newNetwork(), ...headers })
    .serialize((bytes) => bytes)
    .send(body);

const PATHS = ['/oauth/token', '/api/oauth/token'];

describe.each(PATHS)('%s', (path) => {
  it('exchanges a token, without a Bearer token', async () => {
    const { status, body, headers } = await requestToken(service, formOf(parent), { path });
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
    });
  });

  it.each(['get', 'head', 'put', 'patch', 'delete', 'options'] as const)(
    'answers %s with 405 and Allow',
    async (method) => {
      const answer = await service.anonymous().send(method, path);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-request-id': expect.any(String),
      });
      if (method === 'head') expect(answer.text).toBeUndefined();
      else
        expect(answer.body).toEqual({
          error: 'invalid_request',
          error_description: 'Method not allowed. Use POST.',
        });
    },
  );

  it.each(['/', '/x', '%2F'])('and not %s after it', async (more) => {
    const { status, body } = await requestToken(service, formOf(parent), { path: path + more });
    expect([status, body]).toMatchObject([404, { code: 'not_found', status: 404 }]);
  });
});

it('keeps the X-Request-ID of the caller, whatever the answer', async () => {
  const headers = { 'X-Request-ID': 'my.request-1' };
  const answers = [
    await requestToken(service, formOf(parent), { headers }),
    await requestToken(service, {}, { headers }),
    await requestToken(service, formOf(parent, { client_id: 'x' }), { headers }),
    await send('{}', { ...headers, 'Content-Type': 'application/json' }),
    await service.anonymous().get('/oauth/token').set(headers),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 400, 405]);
  for (const answer of answers)
    expect(answer.headers).toMatchObject({ 'x-request-id': 'my.request-1', 'cache-control': 'no-store' });
  const invalid = await requestToken(service, {}, { headers: { 'X-Request-ID': 'not one' } });
  expect(invalid.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

describe('a field', () => {
  it('that is unknown is ignored', async () => {
    const { status } = await requestToken(service, textOf('&audience=x&resource=&constructor=1&__proto__=2'));
    expect(status).toBe(200);
  });

  it('that is empty counts as absent', async () => {
    const withBasic = (form: string) =>
      requestToken(service, form, { headers: basic(parent.tokenId, parent.tokenValue) });
    const fields =
      'grant_type=client_credentials&client_id=&client_secret=&scope=&assertion=&organization_id=';
    const { status, body } = await withBasic(fields);
    expect([status, body.scope]).toEqual([200, 'users:read users:write']);
    const answer = await withBasic('grant_type=');
    expectFailure(answer, 'invalid_request');
    expect(answer.body.error_description).toBe('The field grant_type is required.');
    expectFailure(await requestToken(service, formOf(parent, { client_secret: '' })), 'invalid_client');
  });

  it.each([
    'grant_type=client_credentials',
    'scope=users:read&scope=users:read',
    'scope=&scope=users:read',
    'client_secret=',
    'client_id=x',
    'audience=x&audience=x',
    'audience=&audience=',
    'a=1&%61=2',
    '&=1&=2',
  ])('that stands twice is refused: %s', async (more) => {
    const answer = await requestToken(service, textOf(`&${more}`));
    expectFailure(answer, 'invalid_request');
    expect(answer.body.error_description).toBe('A field must not stand twice.');
  });

  it('is written as in any form', async () => {
    const { status, body } = await requestToken(service, textOf('&%73cope=users%3Aread+users%3awrite'));
    expect([status, body.scope]).toEqual([200, 'users:read users:write']);
  });
});

describe('grant_type', () => {
  it.each([
    ['', 'invalid_request'],
    ['client_credentials ', 'unsupported_grant_type'],
    ['Client_Credentials', 'unsupported_grant_type'],
    ['authorization_code', 'unsupported_grant_type'],
    ['refresh_token', 'unsupported_grant_type'],
    ['password', 'unsupported_grant_type'],
    ['constructor', 'unsupported_grant_type'],
    // This service has no TOKEN_ISSUERS.
    ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'unsupported_grant_type'],
  ])('%j is %s', async (type, error) => {
    expectFailure(await requestToken(service, formOf(parent, { grant_type: type })), error);
  });

  it('is required', async () => {
    const { client_id, client_secret } = formOf(parent);
    expectFailure(await requestToken(service, { client_id, client_secret }), 'invalid_request');
  });
});

const FORM = 'application/x-www-form-urlencoded';

describe('the body', () => {
  it.each([FORM.toUpperCase(), `${FORM}; charset=UTF-8`, `${FORM};charset="utf-8"`])(
    'may be %s',
    async (type) => {
      expect((await send(textOf(), { 'Content-Type': type })).status).toBe(200);
    },
  );

  it.each([
    ['application/json', {}],
    ['text/plain', {}],
    ['multipart/form-data; boundary=x', {}],
    [`${FORM}, ${FORM}`, {}],
    [`${FORM}; charset=iso-8859-1`, {}],
    [`${FORM}; charset=utf-16`, {}],
    [FORM, { 'Content-Encoding': 'gzip' }],
    [FORM, { 'Content-Encoding': 'identity' }],
  ])('must not be %s %j', async (type, headers) => {
    expectFailure(await send(textOf(), { 'Content-Type': type, ...headers }), 'invalid_request');
  });

  it('must have a type', async () => {
    const body = textOf();
    const answer = await exchangeBytes(
      service.url,
      `POST /oauth/token HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*"error":"invalid_request"/);
  });

  it.each([{ 'Content-Type': FORM }, {}])('must be there: %j', async (headers) => {
    const answer = await request(service.url)
      .post('/oauth/token')
      .set({ ...newNetwork(), ...headers });
    expectFailure(answer, 'invalid_request');
  });

  it('must be in UTF-8', async () => {
    const type = { 'Content-Type': FORM };
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const body = Buffer.concat([Buffer.from(textOf('&x=')), Buffer.from(bytes)]);
      expectFailure(await send(body, type), 'invalid_request');
    }
    expect((await send(Buffer.from(textOf('&x=ü')), type)).status).toBe(200);
  });

  /** A form of so many bytes. */
  const formOfBytes = (bytes: number, more = '') => textOf(`${more}&x=`).padEnd(bytes, 'x');
  const refusalOf = async (form: string) => {
    const answer = await requestToken(service, form);
    expectFailure(answer, 'invalid_request');
    return answer.body.error_description;
  };

  it('may have 16 KB without an assertion, and not a byte more', async () => {
    expect((await requestToken(service, formOfBytes(16_384))).status).toBe(200);
    for (const more of ['', '&assertion='])
      expect(await refusalOf(formOfBytes(16_385, more))).toBe(
        'A form without an assertion must not exceed 16 KB.',
      );
  });

  it('may have 64 KB with one, and not a byte more', async () => {
    expect((await requestToken(service, formOfBytes(65_536, '&assertion=x'))).status).toBe(200);
    expect(await refusalOf(formOfBytes(65_537, '&assertion=x'))).toBe(
      'The request body must not exceed 64 KB.',
    );
  });

  it('may have 50 fields, and not one more', async () => {
    const fields = (count: number) => Array.from({ length: count - 3 }, (_, i) => `&x${i}=`).join('');
    expect((await requestToken(service, textOf(fields(50)))).status).toBe(200);
    for (const more of [fields(51), '&'.repeat(48), fields(8_000)])
      expect(await refusalOf(textOf(more))).toBe('The form must have at most 50 fields.');
  });

  it('is counted as it arrives if it comes without a length', async () => {
    const chunked = (bytes: number) =>
      fetch(`${service.url}/oauth/token`, {
        method: 'POST',
        headers: { 'Content-Type': FORM, ...newNetwork() },
        body: new Blob([formOfBytes(bytes)]).stream(),
        duplex: 'half',
      } as RequestInit);
    expect((await chunked(16_384)).status).toBe(200);
    const answer = await chunked(16_385);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });
});

describe('a request', () => {
  it.each(['?scope=users:read', '?grant_type=client_credentials', '?x', '?%C3%A9%22%5C='])(
    'has no query such as %s',
    async (query) => {
      for (const path of PATHS)
        expectFailure(await requestToken(service, formOf(parent), { path: path + query }), 'invalid_request');
    },
  );

  it('has no Idempotency-Key', async () => {
    for (const key of ['1', ''])
      expectFailure(
        await requestToken(service, formOf(parent), { headers: { 'Idempotency-Key': key } }),
        'invalid_request',
      );
  });
});
