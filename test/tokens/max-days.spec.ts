import { systemCaller } from '../../src/platform/http/caller';
import { TokensService } from '../../src/tokens/tokens.service';
import { ACME, assertionOf, present, SUBJECT, useAssertions } from '../support/assertions';
import { formOf, requestToken } from '../support/children';
import { Client } from '../support/client';
import { type Replica, startReplica } from '../support/service';
import { useSignIn } from '../support/sign-in';
import { useTokens } from '../support/token-life';

let limited: Replica;
// First, because useTokens() closes the database of both, without which a close may wait for ever.
afterAll(() => limited.close());
// Tokens that are older than the setting are made by the one process, and the other has the setting.
const { service, api: before, create: createBefore, endIn } = useTokens();
beforeAll(async () => (limited = await startReplica(service, { TOKEN_MAX_DAYS: '90' })));

let api: Client;
beforeEach(() => {
  const { organizationId, tokenId, tokenValue: value } = before;
  api = new Client(limited.url, { organizationId, tokenId, value });
});

const CREATE = { name: 'CI', scopes: ['users:read'] };
const REQUIRED = {
  field: 'expiresIn',
  code: 'required',
  message: 'is required, because a token may live at most 90d',
};
const ABOVE = { field: 'expiresIn', code: 'out_of_range', message: 'must be at most 90d' };
const INHERITED = {
  ...ABOVE,
  message: 'must be given and be at most 90d, because the term of the old token is longer',
};

it('whoever a host says that the caller is, the limit binds it', async () => {
  const by = systemCaller(before.organizationId, 'service', 'ums start');
  const tokens = limited.app.get(TokensService);
  await expect(tokens.create(by, { name: 'CI', scopes: ['users:read'] })).rejects.toMatchObject({
    status: 400,
  });
});

const countTokens = async () => (await api.get('/v1/tokens').expect(200)).body.data.length;

describe.each(['/v1/tokens', '/api/v1/tokens'])('with TOKEN_MAX_DAYS=90, POST %s', (path) => {
  it.each(['1d', '89d', '90d'])('creates a token of %s', async (expiresIn) => {
    const { body } = await api.post(path, { ...CREATE, expiresIn }).expect(201);
    expect(body.expiresIn).toBe(expiresIn);
  });

  it.each([
    [undefined, REQUIRED],
    ['91d', ABOVE],
    ['3650d', ABOVE],
    ['3651d', ABOVE],
    ['0d', { ...ABOVE, message: 'must be from 1d to 3650d' }],
    ['2160h', { ...ABOVE, code: 'invalid', message: expect.stringContaining('days') }],
    [null, { ...ABOVE, code: 'invalid', message: expect.stringContaining('days') }],
  ])('refuses the term %j', async (expiresIn, fault) => {
    const { body } = await api.post(path, { ...CREATE, expiresIn }).expect(400);
    expect([body.code, body.errors]).toEqual(['validation_failed', [fault]]);
    expect(await countTokens()).toBe(1);
  });

  it('reports the term together with all other faults', async () => {
    const { body } = await api.post(path, { name: '', extra: 1, rateLimit: 1001 }).expect(400);
    const codes = body.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
    expect(codes.sort()).toEqual([
      'expiresIn required',
      'extra unknown',
      'name too_short',
      'rateLimit out_of_range',
      'scopes required',
    ]);
  });

  it.each([[[]], [null]])('reports only the body if it is no object: %j', async (body) => {
    const { errors } = (await api.post(path).type('json').send(JSON.stringify(body)).expect(400)).body;
    expect(errors).toEqual([{ field: 'body', code: 'invalid', message: 'must be an object' }]);
  });
});

describe('with TOKEN_MAX_DAYS=90, POST /v1/tokens/{id}/rotate', () => {
  const rotate = (id: string, body?: object) => api.post(`/v1/tokens/${id}/rotate`, body);

  it.each(['1d', '90d'])('keeps a term of %s', async (expiresIn) => {
    const { id } = await createBefore({ expiresIn });
    expect((await rotate(id).expect(201)).body.expiresIn).toBe(expiresIn);
  });

  it.each([
    [undefined, undefined, REQUIRED],
    [undefined, {}, REQUIRED],
    [undefined, { overlap: '0h' }, REQUIRED],
    ['91d', undefined, INHERITED],
    ['91d', { overlap: '0h' }, INHERITED],
    ['91d', { expiresIn: '91d' }, ABOVE],
    ['30d', { expiresIn: '91d' }, ABOVE],
    [undefined, { expiresIn: '91d', overlap: '0h' }, ABOVE],
  ])(
    'refuses an old term of %j with the body %j, and the old one lives on',
    async (expiresIn, body, fault) => {
      const old = await createBefore({ expiresIn });
      expect((await rotate(old.id, body).expect(400)).body.errors).toEqual([fault]);
      await api.withValue(old.token).get('/api/v1/users').expect(200);
      const record = (await api.get(`/v1/tokens/${old.id}`).expect(200)).body;
      expect(record).toMatchObject({ state: 'active', expiresAt: old.expiresAt });
      expect(await countTokens()).toBe(2);
    },
  );

  it.each([undefined, '91d'])('gives an old token of the term %j a shorter one', async (expiresIn) => {
    const { id } = await createBefore({ expiresIn });
    const { body } = await rotate(id, { expiresIn: '90d' }).expect(201);
    expect(body).toMatchObject({ expiresIn: '90d', rotatedFrom: id });
  });

  it('reports the term together with the overlap, before it looks for the token', async () => {
    const body = { overlap: '169h', expiresIn: '91d' };
    for (const id of [api.tokenId, 'tok_00000000000000000000000000']) {
      const { errors } = (await rotate(id, body).expect(400)).body;
      expect(errors).toEqual([expect.objectContaining({ field: 'overlap', code: 'out_of_range' }), ABOVE]);
    }
  });

  it('says of a token that cannot be rotated at all only that', async () => {
    const { id } = await createBefore({ expiresIn: '91d' });
    await endIn(id, 0);
    await rotate(id).expect(409);
    await rotate('tok_00000000000000000000000000').expect(404);
  });
});

it('leaves the tokens that exist already as they are', async () => {
  for (const expiresIn of [undefined, '365d']) {
    const old = await createBefore({ expiresIn });
    const { headers } = await api.withValue(old.token).get('/api/v1/users').expect(200);
    expect(headers['x-token-expires-at']).toBe(old.expiresAt ?? undefined);
  }
});

it('binds an application that calls TokensService', async () => {
  const tokens = limited.app.get(TokensService);
  const { organizationId, tokenId } = api;
  const create = { name: 'CI', scopes: ['users:read' as const] };
  const refused = { response: { code: 'validation_failed', errors: [REQUIRED] } };
  await expect(tokens.create(organizationId, create)).rejects.toMatchObject(refused);
  await expect(tokens.createFor(organizationId, create, { hours: 91 * 24 })).rejects.toMatchObject({
    response: { errors: [ABOVE] },
  });
  await expect(tokens.create(organizationId, { ...create, expiresIn: '91d' })).rejects.toMatchObject({
    response: { errors: [ABOVE] },
  });
  await expect(tokens.rotate(organizationId, tokenId)).rejects.toMatchObject(refused);
  await service.dataSource.transaction(async (manager) => {
    await expect(tokens.within(manager).create(organizationId, create)).rejects.toMatchObject(refused);
  });
  const { token } = await tokens.create(organizationId, { ...create, expiresIn: '90d' });
  expect(token.expiresIn).toBe('90d');
});

describe('with TOKEN_MAX_DAYS=1', () => {
  let strict: Replica;
  beforeAll(async () => (strict = await startReplica(service, { TOKEN_MAX_DAYS: '1' })));
  afterAll(() => strict.close());

  it('a token is exchanged for another of an hour', async () => {
    const { status, body } = await requestToken(strict, formOf(before));
    expect([status, body.expires_in]).toEqual([200, 3600]);
  });

  describe('and an issuer', () => {
    const { browse, session, replica } = useSignIn();

    it('people sign in for 8 hours', async () => {
      const { expiresIn, createdAt, expiresAt } = await session(
        browse(await replica({ TOKEN_MAX_DAYS: '1' })),
      );
      expect(expiresIn).toBeNull();
      expect(Date.parse(expiresAt!) - Date.parse(createdAt)).toBe(8 * 3_600_000);
    });
  });

  describe('and TOKEN_ISSUERS', () => {
    const env = { TOKEN_MAX_DAYS: '1' };
    const { issuer, service } = useAssertions((url) => [`${url} sub=${SUBJECT} -> ${ACME} users:read`], env);

    it('an assertion is exchanged for a token of an hour', async () => {
      const { status, body } = await present(service, await assertionOf(issuer));
      expect([status, body.expires_in]).toEqual([200, 3600]);
    });
  });
});
