import { bootstrap } from '../../src/entry/process/bootstrap';
import { readConfig } from '../../src/entry/process/config';
import { systemCaller } from '../../src/platform/http/caller';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { TokensService } from '../../src/tokens/tokens.service';
import { formOf, requestToken } from '../support/children';
import { Client } from '../support/client';
import { type Replica, startReplica, startService } from '../support/service';
import { HOUR, useTokens } from '../support/token-life';

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

const countTokens = async () => (await api.get('/v1/tokens').expect(200)).body.data.length;

describe('with TOKEN_MAX_DAYS=90, POST /v1/tokens', () => {
  it('creates tokens of up to 90 days, and refuses any other term', async () => {
    for (const expiresIn of ['1d', '90d'])
      expect((await api.post('/v1/tokens', { ...CREATE, expiresIn }).expect(201)).body).toMatchObject({
        expiresIn,
      });
    for (const [expiresIn, fault] of [
      [undefined, REQUIRED],
      ['91d', ABOVE],
      ['3651d', ABOVE],
      ['0d', { ...ABOVE, message: 'must be from 1d to 3650d' }],
      ['2160h', { ...ABOVE, code: 'invalid', message: expect.stringContaining('days') }],
    ]) {
      const { body } = await api.post('/v1/tokens', { ...CREATE, expiresIn }).expect(400);
      expect([expiresIn, body.code, body.errors]).toEqual([expiresIn, 'validation_failed', [fault]]);
    }
    expect(await countTokens()).toBe(3);
  });

  it('reports the term together with all other faults, but only the body if it is no object', async () => {
    const faultsOf = async (input: object) =>
      (await api.post('/v1/tokens', input).expect(400)).body.errors.map(
        ({ field, code }: { field: string; code: string }) => `${field} ${code}`,
      );
    expect((await faultsOf({ name: '', extra: 1, rateLimit: 1001 })).sort()).toEqual([
      'expiresIn required',
      'extra unknown',
      'name too_short',
      'rateLimit out_of_range',
      'scopes required',
    ]);
    expect(await faultsOf([])).toEqual(['body invalid']);
  });
});

describe('with TOKEN_MAX_DAYS=90, POST /v1/tokens/{id}/rotate', () => {
  const rotate = (id: string, body?: object) => api.post(`/v1/tokens/${id}/rotate`, body);

  it('refuses a longer term, in the body or of the old token, which lives on', async () => {
    const rows: [string | undefined, object | undefined, object][] = [
      [undefined, undefined, REQUIRED],
      [undefined, { overlap: '0h' }, REQUIRED],
      ['91d', undefined, INHERITED],
      ['91d', { overlap: '0h' }, INHERITED],
      ['30d', { expiresIn: '91d' }, ABOVE],
      [undefined, { expiresIn: '91d', overlap: '0h' }, ABOVE],
    ];
    for (const [expiresIn, body, fault] of rows) {
      const old = await createBefore({ expiresIn });
      const { errors } = (await rotate(old.id, body).expect(400)).body;
      expect({ expiresIn, body, errors }).toEqual({ expiresIn, body, errors: [fault] });
      await api.withValue(old.token).get('/api/v1/users').expect(200);
      const record = (await api.get(`/v1/tokens/${old.id}`).expect(200)).body;
      expect(record).toMatchObject({ state: 'active', expiresAt: old.expiresAt });
    }
    expect(await countTokens()).toBe(1 + rows.length);
  });

  it('keeps a term of 90 days, and gives an old token of another term one that is allowed', async () => {
    const { id } = await createBefore({ expiresIn: '90d' });
    expect((await rotate(id).expect(201)).body.expiresIn).toBe('90d');
    for (const expiresIn of [undefined, '91d']) {
      const { id } = await createBefore({ expiresIn });
      const { body } = await rotate(id, { expiresIn: '90d' }).expect(201);
      expect(body).toMatchObject({ expiresIn: '90d', rotatedFrom: id });
    }
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

it('binds an application that calls TokensService, whoever it says that the caller is', async () => {
  const tokens = limited.app.get(TokensService);
  const { organizationId, tokenId } = api;
  const create = { name: 'CI', scopes: ['users:read' as const] };
  const refusedFor = (fault: object) => ({ response: { code: 'validation_failed', errors: [fault] } });
  for (const by of [organizationId, systemCaller(organizationId, 'service', 'ums start')]) {
    await expect(tokens.create(by, create)).rejects.toMatchObject(refusedFor(REQUIRED));
    await expect(tokens.create(by, { ...create, expiresIn: '91d' })).rejects.toMatchObject(refusedFor(ABOVE));
    await expect(tokens.createFor(by, create, { hours: 91 * 24 })).rejects.toMatchObject(refusedFor(ABOVE));
    await expect(tokens.rotate(by, tokenId)).rejects.toMatchObject(refusedFor(REQUIRED));
  }
  await service.dataSource.transaction(async (manager) => {
    await expect(tokens.within(manager).create(organizationId, create)).rejects.toMatchObject(
      refusedFor(REQUIRED),
    );
  });
  const { token } = await tokens.create(organizationId, { ...create, expiresIn: '90d' });
  expect(token.expiresIn).toBe('90d');
});

it('does not bind the first token, but its rotation', async () => {
  const env = { TOKEN_MAX_DAYS: '90', BOOTSTRAP_TOKEN: newTokenValue() };
  const first = await startService(env);
  try {
    await bootstrap(first.app, readConfig({ ...env, ...first.env }), []);
    const admin = new Client(first.url, { value: env.BOOTSTRAP_TOKEN });
    const { body } = await admin.get('/v1/tokens/current').expect(200);
    expect(body).toMatchObject({ scopes: ['admin'], expiresIn: null, expiresAt: null });
    await admin.post(`/v1/tokens/${body.id}/rotate`).expect(400);
    await admin.post(`/v1/tokens/${body.id}/rotate`, { expiresIn: '90d' }).expect(201);
  } finally {
    await first.close();
  }
});

it('of one day lets exchanges, sign-ins and assertions make tokens of hours', async () => {
  const strict = await startReplica(service, { TOKEN_MAX_DAYS: '1' });
  try {
    const { status, body } = await requestToken(strict, formOf(before));
    expect([status, body.expires_in]).toEqual([200, 3600]);
    const tokens = strict.app.get(TokensService);
    const input = { name: 'ada@example.com', scopes: ['admin' as const] };
    const { token } = await tokens.createFor(before.organizationId, input, { hours: 8 });
    expect(Number(token.expiresAt) - Number(token.createdAt)).toBe(8 * HOUR);
  } finally {
    await strict.close();
  }
});
