import { setImmediate as turn } from 'node:timers/promises';
import { TokensService } from '../../src/tokens/tokens.service';
import { newTokenValue } from '../../src/tokens/token-value';
import { expectFailure, formOf, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { basic } from '../support/oauth';

const { service, admin, aParent, childOf } = useParents();

let parent: Client;
beforeEach(async () => (parent = await aParent()));

const GRANT = { grant_type: 'client_credentials' };

/** Sends a header beside these fields. */
const withHeader = (authorization: string, fields: Record<string, string> = {}) =>
  requestToken(service, { ...GRANT, ...fields }, { headers: { Authorization: authorization } });

/** The header of HTTP Basic with this text. */
const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** The text with all of its characters encoded. */
const escaped = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

const CHALLENGE = 'www-authenticate';

describe('HTTP Basic', () => {
  const header = () => basic(parent.tokenId, parent.tokenValue).Authorization;

  it('names the client and its secret', async () => {
    const { status, body, headers } = await withHeader(header());
    expect([status, headers[CHALLENGE]]).toEqual([200, undefined]);
    await parent.withValue(body.access_token).get('/v1/tokens/current').expect(200);
  });

  it.each(['basic', 'BASIC', 'bAsIc'])('may be written %s', async (scheme) => {
    expect((await withHeader(header().replace('Basic', scheme))).status).toBe(200);
  });

  it('has both encoded as in a form', async () => {
    const { tokenId, tokenValue } = parent;
    expect((await withHeader(encoded(`${escaped(tokenId)}:${escaped(tokenValue)}`))).status).toBe(200);
    for (const text of [
      `${tokenId}:+${tokenValue}`,
      `${tokenId}:${tokenValue}%20`,
      `%2B${tokenId}:${tokenValue}`,
    ])
      expectFailure(await withHeader(encoded(text)), 'invalid_client');
  });

  it('may have the same client_id beside it, and no other', async () => {
    expect((await withHeader(header(), { client_id: parent.tokenId })).status).toBe(200);
    for (const client_id of [admin.tokenId, `${parent.tokenId} `, 'x'])
      expectFailure(await withHeader(header(), { client_id }), 'invalid_request');
  });

  it('has no secret beside it, not even the same', async () => {
    for (const client_secret of [parent.tokenValue, 'x']) {
      expectFailure(await withHeader(header(), { client_secret }), 'invalid_request');
      expectFailure(await withHeader(header(), formOf(parent, { client_secret })), 'invalid_request');
    }
    expectFailure(await withHeader('Basic', formOf(parent)), 'invalid_request');
  });

  it.each([
    'Basic',
    'basic !!!',
    encoded(':'),
    encoded('no colon'),
    encoded('tok_x:'),
    encoded(':umt_x'),
    encoded('%zz:x'),
    encoded('x:%e2%82'),
  ])('that is malformed is an unknown client: %j', async (authorization) => {
    const answer = await withHeader(authorization);
    expectFailure(answer, 'invalid_client');
    expect(answer.headers[CHALLENGE]).toBe('Basic');
  });

  it('that is malformed is not completed by the body', async () => {
    for (const authorization of ['Basic', encoded('no colon'), encoded(`${parent.tokenId}:`)])
      expectFailure(await withHeader(authorization, { client_id: parent.tokenId }), 'invalid_client');
  });

  it('with a wrong secret is challenged', async () => {
    const answer = await withHeader(encoded(`${parent.tokenId}:${newTokenValue()}`));
    expectFailure(answer, 'invalid_client');
    expect(answer.headers[CHALLENGE]).toBe('Basic');
    expect((await withHeader(header(), { scope: 'admin' })).headers[CHALLENGE]).toBeUndefined();
  });
});

describe('the body', () => {
  it('has both the client_id and the client_secret', async () => {
    expect((await requestToken(service, formOf(parent))).status).toBe(200);
    const { client_id, client_secret } = formOf(parent);
    const incomplete: Record<string, string>[] = [
      {},
      { client_id },
      { client_secret },
      { client_id: client_secret, client_secret },
    ];
    for (const fields of incomplete) {
      const answer = await requestToken(service, { ...GRANT, ...fields });
      expectFailure(answer, 'invalid_client');
      expect(answer.headers[CHALLENGE]).toBeUndefined();
    }
  });

  it('may come with another Authorization, which is ignored', async () => {
    for (const authorization of [`Bearer ${admin.tokenValue}`, 'Bearer x', 'Basically x', 'Digest x']) {
      expect((await withHeader(authorization, formOf(parent))).status).toBe(200);
      const answer = await withHeader(authorization);
      expectFailure(answer, 'invalid_client');
      expect(answer.headers[CHALLENGE]).toBeUndefined();
    }
  });
});

describe.each([
  [
    'the body',
    (id: string, value: string) => requestToken(service, { ...GRANT, client_id: id, client_secret: value }),
  ],
  ['HTTP Basic', (id: string, value: string) => withHeader(basic(id, value).Authorization)],
])('a client by %s', (way, send) => {
  const refused = async (id: string, value: string) => {
    const answer = await send(id, value);
    expectFailure(answer, 'invalid_client');
    expect(answer.headers[CHALLENGE]).toBe(way === 'the body' ? undefined : 'Basic');
    return answer.body.error_description;
  };

  it('is the token that its secret belongs to', async () => {
    const [other, stranger] = [await aParent(), await service.client()];
    expect((await send(parent.tokenId, parent.tokenValue)).status).toBe(200);
    for (const { tokenId } of [other, stranger, admin]) await refused(tokenId, parent.tokenValue);
    for (const id of [parent.tokenId.toUpperCase(), ` ${parent.tokenId}`, parent.organizationId, 'x'])
      await refused(id, parent.tokenValue);
  });

  it('is told nothing of why it is refused', async () => {
    const [revoked, expired] = [await aParent(), await aParent()];
    await admin.delete(`/v1/tokens/${revoked.tokenId}`).expect(204);
    await service.dataSource.query('UPDATE tokens SET expires_at = now() WHERE id = $1', [expired.tokenId]);
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
    const subject = { issuer: 'https://ci.example.com', subject: 'acme', name: 'acme' };
    const { token, value } = await service.app
      .get(TokensService)
      .createFor(
        parent.organizationId,
        { name: 'acme', scopes: ['users:read'] },
        { createdBy: subject, windowId: 'sub_x', hours: 1 },
      );
    await refused(token.id, value);
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

it('writes no part of the credentials to the log', async () => {
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
  const right = basic(parent.tokenId, parent.tokenValue).Authorization;
  const [refusal, refused] = await logged(wrong);
  expect(refused).toMatchObject({ route: '/oauth/token', status: 401, refusal: 'invalid_client' });
  const [admission, admitted] = await logged(right);
  expect(admitted).toMatchObject({ route: '/oauth/token', status: 200, tokenId: parent.tokenId });
  expect(refusal + admission).not.toContain(wrong.slice(6));
  expect(refusal + admission).not.toContain(right.slice(6));
});
