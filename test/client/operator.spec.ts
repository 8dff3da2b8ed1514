/**
 * @only embedded: other suites send its requests
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import {
  ApiError,
  type ConnectionOptions,
  createClient,
  createOperatorClient,
  type OperatorClientOptions,
  type Organization,
} from '../../client/index';
import { collect, errorOf } from '../support/calls';
import { aUser } from '../support/client';
import { nextMoment } from '../support/clock';
import { useOperator } from '../support/operator';
import { OPERATOR_TOKEN } from '../support/routes';

const { service } = useOperator();
const operatorOf = (options: Partial<ConnectionOptions> = {}) =>
  createOperatorClient({ baseUrl: service.url, token: OPERATOR_TOKEN, ...options });
const unavailable = () => Response.json({ code: 'unavailable', detail: 'Later.' }, { status: 503 });

describe('organizations', () => {
  it('are created, read, changed, suspended, resumed and deleted', async () => {
    const { organizations } = operatorOf();
    const externalId = randomUUID();
    const created = await organizations.create({ name: 'Example Inc.', externalId });
    expect(created).toMatchObject({
      id: expect.stringMatching(/^org_/),
      name: 'Example Inc.',
      externalId,
      suspended: false,
    });
    const { id } = created;
    expect(await organizations.get(id)).toEqual(created);
    expect(await organizations.update(id, { name: 'Renamed', externalId: null })).toMatchObject({
      name: 'Renamed',
      externalId: null,
    });
    const suspended = await organizations.suspend(id);
    expect(suspended).toMatchObject({ name: 'Renamed', suspended: true });
    expect(await organizations.suspend(id)).toEqual(suspended);
    expect(await organizations.resume(id)).toMatchObject({ suspended: false });
    expect(await errorOf(organizations.delete(id))).toMatchObject({ status: 409, code: 'conflict' });
    await organizations.suspend(id);
    expect(await organizations.delete(id)).toBeUndefined();
    expect(await errorOf(organizations.get(id))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await errorOf(organizations.delete(id))).toMatchObject({ status: 404 });
  });

  it('are iterated over all pages', async () => {
    const { organizations } = operatorOf();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await organizations.create({ name: 'Example' })).id);
      await nextMoment();
    }
    const listed = await collect(organizations.list({ limit: 1 }));
    expect(listed.slice(0, 3).map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await collect(organizations.list({ limit: 2, order: 'asc' }))).toEqual(listed.toReversed());
    const { data, nextCursor } = await organizations.list({ limit: 2 }).page();
    expect(data).toEqual(listed.slice(0, 2));
    const rest = organizations.list({ limit: 2, cursor: nextCursor! });
    expect(await collect(rest)).toEqual(listed.slice(2));
  });

  it('are found by the external id that another one cannot take', async () => {
    const { organizations } = operatorOf();
    const externalId = randomUUID();
    const created = await organizations.create({ name: 'Example', externalId });
    const error = await errorOf(organizations.create({ name: 'Example', externalId }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 409,
      code: 'conflict',
      errors: [{ field: 'externalId', code: 'taken' }],
    });
    expect(await collect(organizations.list({ externalId }))).toEqual([created]);
  });

  it('are created once by the example in the README, however many ask at once', async () => {
    const [, code] = /```js\n([^`]*function organizationOf[^`]*)```/.exec(
      readFileSync('client/README.md', 'utf8'),
    )!;
    const scope = {
      createOperatorClient,
      ApiError,
      baseUrl: service.url,
      process: { env: { OPERATOR_TOKEN } },
    };
    const organizationOf = runInNewContext(`${code}; organizationOf`, scope) as (customer: {
      id: string;
      name: string;
    }) => Promise<Organization>;
    const customer = { id: randomUUID(), name: 'Example' };
    const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => organizationOf(customer)));
    expect(first).toMatchObject({ name: 'Example', externalId: customer.id });
    expect(others).toEqual([first, first, first]);
    expect(await errorOf(organizationOf({ ...customer, name: '' }))).toMatchObject({ status: 400 });
  });

  it.each(['', '.', '..'])('reject the id %j, which would address another path', (id) => {
    const { organizations, tokens } = operatorOf();
    for (const call of [
      () => organizations.get(id),
      () => organizations.suspend(id),
      () => organizations.delete(id),
      () => tokens.list(id),
      () => tokens.revoke('org_x', id),
    ])
      expect(call).toThrow(TypeError);
  });
});

it('the tokens of an organization are created, listed and revoked', async () => {
  const { organizations, tokens } = operatorOf();
  const { id } = await organizations.create({ name: 'Example' });
  const created = await tokens.create(id, { name: 'First', scopes: ['admin'], rateLimit: 6_000 });
  const { token, ...record } = created;
  const client = createClient({ baseUrl: service.url, token });
  expect(await client.tokens.current()).toMatchObject({ id: record.id, rateLimit: 6_000 });
  await client.users.create(aUser());
  await nextMoment();
  const second = await tokens.create(id, { name: 'Second', scopes: ['users:read'] });
  const ids = async (list: ReturnType<typeof tokens.list>) => (await collect(list)).map(({ id }) => id);
  expect(await ids(tokens.list(id, { limit: 1 }))).toEqual([second.id, record.id]);

  await organizations.suspend(id);
  const refused = { status: 403, code: 'organization_suspended' };
  expect(await errorOf(client.users.list().page())).toMatchObject(refused);
  expect(await tokens.create(id, { name: 'Third', scopes: ['admin'] })).toMatchObject({ state: 'active' });
  await organizations.resume(id);

  expect(await tokens.revoke(id, record.id)).toBeUndefined();
  expect(await tokens.revoke(id, record.id)).toBeUndefined();
  expect(await errorOf(client.tokens.current())).toMatchObject({ status: 401 });
  expect(await ids(tokens.list(id, { state: 'revoked' }))).toEqual([record.id]);
});

describe('a call of the operator', () => {
  it('is retried only if it reads or deletes', async () => {
    const sent: string[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      sent.push(init!.method!);
      return sent.length % 2 === 0 ? Response.json({ data: [], nextCursor: null }) : unavailable();
    };
    const { organizations, tokens } = operatorOf({ fetch });
    for (const call of [
      () => organizations.list().page(),
      () => organizations.get('org_x'),
      () => organizations.delete('org_x'),
      () => tokens.list('org_x').page(),
      () => tokens.revoke('org_x', 'tok_x'),
    ])
      await call();
    expect(sent).toEqual(['GET', 'GET', 'DELETE', 'GET', 'DELETE'].flatMap((method) => [method, method]));

    sent.length = 0;
    for (const call of [
      () => organizations.create({ name: 'Example', externalId: 'customer-4711' }),
      () => organizations.update('org_x', { name: 'Example' }),
      () => organizations.suspend('org_x'),
      () => organizations.resume('org_x'),
      () => tokens.create('org_x', { name: 'First', scopes: ['admin'] }),
    ]) {
      expect(await errorOf(call())).toMatchObject({ status: 503 });
      expect(sent.splice(0)).toHaveLength(1);
    }
  });

  it('has deleted an organization if the response was lost and the retry returns 404', async () => {
    const statuses: number[] = [];
    const losing: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      return statuses.push(response.status) === 1 ? unavailable() : response;
    };
    const { organizations } = operatorOf();
    const { id } = await organizations.create({ name: 'Example' });
    await organizations.suspend(id);
    expect(await operatorOf({ fetch: losing }).organizations.delete(id)).toBeUndefined();
    expect(statuses).toEqual([204, 404]);
  });

  it('may take long if it deletes an organization, unless it has a timeout of its own', async () => {
    let respond!: (response: Response) => void;
    const response = new Promise<Response>((resolve) => (respond = resolve));
    const slow: typeof fetch = (_url, init) =>
      new Promise((resolve, reject) => {
        const { signal } = init!;
        signal!.addEventListener('abort', () => reject(signal!.reason));
        void response.then(resolve);
      });
    const { organizations } = operatorOf({ fetch: slow, timeoutMs: 30, retryBudgetMs: 0 });
    const deleted = organizations.delete('org_x'); // would be over before the others, which begin later
    expect(await errorOf(organizations.get('org_x'))).toMatchObject({ code: 'unreachable' });
    expect(await errorOf(organizations.delete('org_x', { timeoutMs: 30 }))).toMatchObject({
      message: 'The service did not respond in time.',
    });
    respond(new Response(null, { status: 204 }));
    expect(await deleted).toBeUndefined();
  });

  it('is refused with the token of an organization', async () => {
    const { tokenValue } = await service.client();
    const { organizations } = createOperatorClient({ baseUrl: service.url, token: async () => tokenValue });
    expect(await errorOf(organizations.list().page())).toMatchObject({ status: 401, code: 'unauthorized' });
  });
});

describe('createOperatorClient()', () => {
  const baseUrl = 'http://localhost:3000';
  const credentials = { clientId: 'tok_x', clientSecret: 'umt_x' };
  const requiresToken = new TypeError(
    'createOperatorClient() requires a token, that in OPERATOR_TOKEN, and no credentials.',
  );

  it('requires a token, and takes no credentials', () => {
    // @ts-expect-error No token.
    expect(() => createOperatorClient({ baseUrl })).toThrow(requiresToken);
    // @ts-expect-error Credentials in its place.
    expect(() => createOperatorClient({ baseUrl, credentials })).toThrow(requiresToken);
    // @ts-expect-error Both of them.
    expect(() => createOperatorClient({ baseUrl, token: 'x', credentials })).toThrow(requiresToken);
    const options: OperatorClientOptions = { baseUrl, token: () => 'x' };
    expect(() => createOperatorClient(options)).not.toThrow();
  });

  it('refuses an empty token and an invalid base URL', async () => {
    const { organizations } = createOperatorClient({ baseUrl, token: '' });
    expect(await errorOf(organizations.get('org_x'))).toEqual(new TypeError('The token is empty.'));
    expect(() => createOperatorClient({ baseUrl: 'localhost:3000', token: 'x' })).toThrow(/^baseUrl must be/);
  });
});
