import { randomUUID } from 'node:crypto';
import request, { type Response } from 'supertest';
import { readConfig } from '../../src/entry/process/config';
import { newId } from '../../src/platform/database/id';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { TokensService } from '../../src/tokens/tokens.service';
import { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import { ORGANIZATIONS, useOperator } from '../support/operator';
import { OPERATOR_TOKEN, operatorRoutes, served, withUnknownId } from '../support/routes';
import { useService } from '../support/service';
import { until } from '../support/until';

const { service, operator, create, change } = useOperator();
const fault = (field: string, code: string) => [expect.objectContaining({ field, code })];
const refusal = (field: string, code: string) => ({ status: 400, body: { errors: fault(field, code) } });

describe('POST /v1/organizations', () => {
  it('creates an organization', async () => {
    const externalId = randomUUID();
    const { body, headers } = await operator
      .post(ORGANIZATIONS, { name: ' Example Inc. ', externalId: ` ${externalId} ` })
      .expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^org_/),
      name: 'Example Inc.',
      externalId,
      suspended: false,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.createdAt,
    });
    expect(headers.location).toBe(`${ORGANIZATIONS}/${body.id}`);
    expect((await operator.get(headers.location).expect(200)).body).toEqual(body);
  });

  it('takes names and external ids of any characters, up to their length', async () => {
    const fields = { name: '𝒜'.repeat(100), externalId: '𝒜'.repeat(200) };
    expect(await create(fields)).toMatchObject(fields);
    expect(await create({ externalId: null })).toMatchObject({ externalId: null });
    expect(await create()).toMatchObject({ externalId: null });
  });

  it('rejects what is no organization', async () => {
    for (const [body, field, code] of [
      [{}, 'name', 'required'],
      [{ name: ' ' }, 'name', 'too_short'],
      [{ name: 'x', externalId: '' }, 'externalId', 'too_short'],
      [{ name: 'x', suspended: true }, 'suspended', 'unknown'],
    ] as const)
      expect(await operator.post(ORGANIZATIONS, body)).toMatchObject(refusal(field, code));
  });

  it('gives an external id to one organization, however many ask at once', async () => {
    const externalId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => operator.post(ORGANIZATIONS, { name: 'Example', externalId })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ code: 'conflict', errors: fault('externalId', 'taken') });
    const { body } = await operator.get(`${ORGANIZATIONS}?externalId=${externalId}`).expect(200);
    expect(body.data).toEqual([answers.find(({ status }) => status === 201)!.body]);
  });
});

describe('GET /v1/organizations', () => {
  it('lists every organization once, newest first or oldest first, page by page', async () => {
    for (let i = 0; i < 5; i++) await create();
    const known = (
      await service.dataSource.query('SELECT id FROM organizations ORDER BY created_at, id')
    ).map(({ id }: { id: string }) => id);
    for (const [query, expected] of [
      ['limit=2', known.toReversed()],
      ['limit=3&order=asc', known],
    ]) {
      const seen: string[] = [];
      for (let next: string | undefined = `${ORGANIZATIONS}?${query}`; next;) {
        const { body, headers }: Response = await operator.get(next).expect(200);
        seen.push(...body.data.map(({ id }: { id: string }) => id));
        next = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1];
        expect(next !== undefined).toBe(body.nextCursor !== null);
      }
      expect(seen).toEqual(expected);
    }
  });

  it('rejects what is no list, and a cursor of another one', async () => {
    await create();
    await create();
    const { nextCursor } = (await operator.get(`${ORGANIZATIONS}?limit=1`).expect(200)).body;
    for (const [query, field, code] of [
      ['limit=0', 'limit', 'out_of_range'],
      ['externalId=', 'externalId', 'too_short'],
      ['name=x', 'name', 'unknown'],
      ['cursor=x', 'cursor', 'invalid'],
      [`limit=1&order=asc&cursor=${nextCursor}`, 'cursor', 'invalid'],
    ])
      expect(await operator.get(`${ORGANIZATIONS}?${query}`)).toMatchObject(refusal(field, code));
  });

  it('reads a page from an index', async () => {
    const plan = await service.dataSource.transaction(async (manager) => {
      await manager.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off');
      return manager.query('EXPLAIN SELECT id FROM organizations ORDER BY created_at DESC, id DESC LIMIT 51');
    });
    expect(JSON.stringify(plan)).toContain('organizations_created_at_id_idx');
  });
});

describe('PATCH /v1/organizations/{id}', () => {
  it('changes only the fields in the body', async () => {
    const externalId = randomUUID();
    const created = await create({ externalId });
    await nextMoment();
    const renamed = await change(created.id, { name: ' Renamed ' });
    expect(renamed).toEqual({ ...created, name: 'Renamed', updatedAt: renamed.updatedAt });
    expect(renamed.updatedAt > created.updatedAt).toBe(true);
    expect(await change(created.id, { externalId: null })).toMatchObject({
      name: 'Renamed',
      externalId: null,
    });
    expect(await create({ externalId })).toMatchObject({ externalId }); // it is free again
  });

  it('changes nothing if every value is as it was', async () => {
    const created = await create({ externalId: randomUUID() });
    for (const same of [{}, { name: created.name }, { externalId: created.externalId, suspended: false }])
      expect(await change(created.id, same)).toEqual(created);
    const suspended = await change(created.id, { suspended: true });
    expect(await change(created.id, { suspended: true })).toEqual(suspended);
  });

  it('rejects what no organization can have', async () => {
    const { id } = await create();
    for (const [changes, field, code] of [
      [{ name: null }, 'name', 'invalid'],
      [{ suspended: null }, 'suspended', 'invalid'],
      [{ createdAt: '2026-01-31T09:30:00.000Z' }, 'createdAt', 'unknown'],
    ] as const)
      expect(await operator.patch(`${ORGANIZATIONS}/${id}`, changes)).toMatchObject(refusal(field, code));
  });

  it('refuses an external id that another organization has', async () => {
    const [{ externalId }, { id }] = [await create({ externalId: randomUUID() }), await create()];
    const { body } = await operator.patch(`${ORGANIZATIONS}/${id}`, { externalId }).expect(409);
    expect(body.errors).toEqual(fault('externalId', 'taken'));
  });
});

describe('the tokens of an organization', () => {
  it('are created, listed and revoked', async () => {
    const { id } = await create();
    const tokens = `${ORGANIZATIONS}/${id}/tokens`;
    const input = { name: 'First', scopes: ['admin'], expiresIn: '90d', rateLimit: 100_000 };
    const { body: created } = await operator.post(tokens, input).set('X-Request-ID', 'first').expect(201);
    const { token: value, ...record } = created;
    expect(record).toMatchObject({ ...input, state: 'active', createdBy: null });
    const api = new Client(service.url, { value });
    expect((await api.get('/v1/tokens').expect(200)).body.data).toEqual([record]);
    expect((await api.get('/v1/tokens').expect(200)).headers['x-ratelimit-limit']).toBe('100000');
    const { body: page } = await operator.get(`${tokens}?state=active&limit=1`).expect(200);
    expect(page).toMatchObject({ data: [{ id: record.id }], nextCursor: null });

    await operator.delete(`${tokens}/${record.id}`).expect(204);
    await operator.delete(`${tokens}/${record.id}`).expect(204);
    await api.get('/v1/tokens').expect(401);
    const other = await service.client({ organizationId: id });
    const { body: events } = await other.get('/api/v1/events').expect(200);
    const actor = { type: 'system', id: null, name: 'operator' };
    expect(events.data.slice(0, 2)).toMatchObject([
      { type: 'token.created', source: 'api', actor, requestId: 'first' },
      { type: 'token.revoked', source: 'api', actor },
    ]);
  });

  it('have the limits of the command line, and are created without an Idempotency-Key: a value is shown once', async () => {
    const tokens = `${ORGANIZATIONS}/${(await create()).id}/tokens`;
    const input = { name: 'x', scopes: ['admin'] };
    const beyond = operator.post(tokens, { ...input, rateLimit: 100_001 });
    expect(await beyond).toMatchObject(refusal('rateLimit', 'out_of_range'));
    const keyed = operator.post(tokens, input).set('Idempotency-Key', 'x');
    expect(await keyed).toMatchObject(refusal('Idempotency-Key', 'invalid'));
  });

  it('are not found below another organization', async () => {
    const [own, { id }] = [await service.client(), await create()];
    await operator.delete(`${ORGANIZATIONS}/${id}/tokens/${own.tokenId}`).expect(404);
    await own.get('/v1/tokens/current').expect(200);
  });
});

it('each route is a 404 for an organization that does not exist', async () => {
  for (const { method, path } of operatorRoutes.filter((route) => route.path.includes(':id'))) {
    const body = { post: { name: 'x', scopes: ['admin'] }, patch: { suspended: true } }[method as string];
    const answerTo = async (sent: string) => {
      const { status, text } = await operator.send(served(method), sent, body).set('X-Request-ID', 'same');
      return { method, path, status, text };
    };
    const unknown = await answerTo(withUnknownId(path));
    expect(unknown).toMatchObject({ path, status: 404 });
    const impossible = path.replace(':id', 'nobody').replace(':tokenId', newId('tok'));
    expect(await answerTo(impossible)).toEqual(unknown);
  }
});

it('answers other methods with 405, without a token and uncounted', async () => {
  const { headers } = await service.anonymous().delete(ORGANIZATIONS).expect(405);
  expect(headers.allow).toBe('GET, HEAD, POST');
});

describe('the window of the operator', () => {
  const { service, operator } = useOperator({ RATE_LIMIT_PER_MINUTE: '50' });

  it('has 1000 requests, whatever the limit of the service is', async () => {
    const windows = () => service.dataSource.query(`UPDATE rate_limit_windows SET hits = 998`);
    const { headers } = await operator.get(ORGANIZATIONS).expect(200);
    expect(headers['x-ratelimit-limit']).toBe('1000');
    await windows();
    if (Number((await operator.get(ORGANIZATIONS)).headers['x-ratelimit-remaining']) > 1) return; // counted in memory
    await operator.get(ORGANIZATIONS).expect(200);
    const refused = await operator.get(ORGANIZATIONS).expect(429);
    expect(refused.headers['x-ratelimit-remaining']).toBe('0');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });
});

it('logs the id of the organization that a request is about, but neither its name nor the token', async () => {
  const { id, name } = await create({ name: 'Secret Customer' });
  await operator.get(`${ORGANIZATIONS}/${id}/tokens`).set('X-Request-ID', 'about-1').expect(200);
  const line = await until(() => service.logs.find((text) => text.includes('about-1')));
  expect(JSON.parse(line)).toMatchObject({ tokenId: 'operator', organizationId: id });
  expect(service.logs.join('')).not.toContain(OPERATOR_TOKEN);
  expect(service.logs.join('')).not.toContain(name);
});

describe('with two values in OPERATOR_TOKEN', () => {
  const next = newTokenValue();
  const both = useService({ OPERATOR_TOKEN: `${next}, ${OPERATOR_TOKEN}` });
  const by = (value: string) => both.anonymous().withValue(value);

  it('both count in one window', async () => {
    const remaining = async (value: string) =>
      Number((await by(value).get(ORGANIZATIONS).expect(200)).headers['x-ratelimit-remaining']);
    expect([await remaining(next), await remaining(OPERATOR_TOKEN), await remaining(next)]).toEqual([
      999, 998, 997,
    ]);
  });

  it('either is the token of the operator, and both together are none', async () => {
    for (const value of [next, OPERATOR_TOKEN]) {
      await by(value).get(ORGANIZATIONS).expect(200);
      await by(value).get('/v1/tokens').expect(401);
    }
    for (const value of [`${next}, ${OPERATOR_TOKEN}`, `${next},${OPERATOR_TOKEN}`, newTokenValue()])
      await by(value).get(ORGANIZATIONS).expect(401);
  });

  it('either is unknown even if a token of an organization has the same value', async () => {
    const { organizationId } = await both.client();
    for (const value of [next, OPERATOR_TOKEN]) {
      await both.app
        .get(TokensService)
        .createFirst(organizationId, { name: 'Same', scopes: ['admin'] }, value);
      await by(value).get('/v1/tokens/current').expect(401);
    }
  });
});

describe('without OPERATOR_TOKEN', () => {
  const without = useService();

  it('no route is known', async () => {
    for (const { method, path } of operatorRoutes) {
      // Not by a client, which would miss this 404 in the document.
      const send = request(without.url)[served(method)];
      const { status, body } = await send(withUnknownId(path)).set(
        'Authorization',
        `Bearer ${OPERATOR_TOKEN}`,
      );
      expect([method, path, status, body.detail]).toEqual([method, path, 404, 'There is no such route.']);
    }
  });
});

it('OPERATOR_TOKEN may be anything of 32 characters but BOOTSTRAP_TOKEN', () => {
  for (const value of ['x'.repeat(32), newTokenValue(), `${'~'.repeat(31)}!`])
    expect(readConfig({ OPERATOR_TOKEN: value }).operatorTokens).toEqual([value]);
  for (const value of ['x'.repeat(31), `${'x'.repeat(31)} x`, 'é'.repeat(40)])
    expect(() => readConfig({ OPERATOR_TOKEN: value })).toThrow('OPERATOR_TOKEN must have at least 32');
  const [value, other] = [newTokenValue(), newTokenValue()];
  for (const OPERATOR_TOKEN of [value, `${value},${other}`, `${other},${value}`])
    expect(() => readConfig({ OPERATOR_TOKEN, BOOTSTRAP_TOKEN: value })).toThrow(
      'OPERATOR_TOKEN must differ from BOOTSTRAP_TOKEN',
    );
});

it('OPERATOR_TOKEN may be two different values, separated by a comma', () => {
  const [one, two, three] = [newTokenValue(), newTokenValue(), newTokenValue()];
  for (const value of [`${one},${two}`, ` ${one} ,\t${two}\n`])
    expect(readConfig({ OPERATOR_TOKEN: value }).operatorTokens).toEqual([one, two]);
  for (const value of [`${one},`, `,${one}`, `${one},,${two}`, ',', ' ', `${one},${'x'.repeat(31)}`])
    expect(() => readConfig({ OPERATOR_TOKEN: value, BOOTSTRAP_TOKEN: one })).toThrow(
      'OPERATOR_TOKEN must have at least 32',
    );
  for (const value of [`${one},${one}`, `${one}, ${one}`, `${one},${two},${three}`, `${one},${two},${one}`])
    expect(() => readConfig({ OPERATOR_TOKEN: value })).toThrow(
      'OPERATOR_TOKEN must be one token, or two different ones separated by a comma',
    );
});
