import type { Response } from 'supertest';
import { Database } from '../../src/platform/database/database';
import type { Client } from '../support/client';
import { aUser } from '../support/client';
import type { Body } from '../support/scim';
import { startService, type TestService } from '../support/service';
import { statementsOf } from '../support/statements';

const MB = 1024 * 1024;
const USERS = 100;
/** Fewer bytes as characters than as UTF-8, and some of them are short. */
const metadataOf = (i: number) => ({ i, text: i % 10 === 0 ? '' : 'é'.repeat(7_500) });
const nameOf = (i: number) => `Long ${String(i).padStart(3, '0')}`;

let service: TestService;
let api: Client;
let ids: string[];
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' });
  api = await service.client();
  ids = [];
  for (let n = 0; n < USERS; n += 50) {
    const users = Array.from({ length: 50 }, (_, i) =>
      aUser({ name: nameOf(n + i), metadata: metadataOf(n + i) }),
    );
    const { body } = await api.post('/api/v1/users/batch').send({ users }).expect(200);
    ids.push(...body.results.map(({ id }: { id: string }) => id));
  }
  for (const id of ids) await api.patch(`/api/v1/users/${id}`).send({ role: 'viewer' }).expect(200);
});
afterAll(() => service.close());

/** All pages of a list, and what they contain. */
async function read(path: string) {
  const pages: { bytes: number; data: Body[] }[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const { body, text, headers }: Response = await api.get(next).expect(200);
    pages.push({ bytes: Buffer.byteLength(text), data: body.data });
    next = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1];
  }
  return { pages, data: pages.flatMap(({ data }) => data) };
}

/** Reads a list of so many bytes in all: each page but the last is as long as it may be. */
async function readLong(path: string, longest: number) {
  const { pages, data } = await read(path);
  expect(pages.length).toBeGreaterThan(1);
  for (const { bytes } of pages) expect(bytes).toBeLessThan(MB + 1_000); // the envelope
  for (const { bytes } of pages.slice(0, -1)) expect(bytes + longest).toBeGreaterThan(MB);
  return data;
}

const numbers = Array.from({ length: USERS }, (_, i) => i);

describe('a page ends before it would pass 1 MB, and the next one goes on there', () => {
  it.each(['createdAt', 'updatedAt', 'name', 'email'])('of users by %s', async (sort) => {
    const users = await readLong(`/api/v1/users?limit=200&sort=${sort}&order=asc&role=viewer`, 16_000);
    expect(new Set(users.map(({ id }) => id)).size).toBe(USERS);
    expect(users).toHaveLength(USERS);
    for (const { name, metadata } of users) expect(metadata).toEqual(metadataOf(Number(name.slice(-3))));
    if (sort === 'updatedAt' || sort === 'name') expect(users.map(({ id }) => id)).toEqual(ids);
  });

  it('of a search', async () => {
    const users = await readLong('/api/v1/users/search?q=long&limit=200', 16_000);
    expect(users.map(({ name }) => name)).toEqual(numbers.map(nameOf));
    expect(users.map(({ metadata }) => metadata)).toEqual(numbers.map(metadataOf));
  });

  it('of deleted users', async () => {
    const other = await service.client();
    const created = [];
    for (const i of numbers) created.push(await other.createUser({ metadata: metadataOf(i) }));
    for (const { id } of created) await other.delete(`/api/v1/users/${id}`).expect(204);
    const mine = api;
    api = other;
    const users = await readLong('/api/v1/deleted-users?limit=200', 40_000).finally(() => (api = mine));
    const byId = new Map(users.map(({ id, metadata }) => [id, metadata]));
    expect(users).toHaveLength(USERS);
    expect(created.map(({ id }) => byId.get(id))).toEqual(numbers.map(metadataOf));
    const times = users.map(({ deletedAt }) => deletedAt);
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each(['asc', 'desc'])('of events, %s', async (order) => {
    const events = await readLong(`/api/v1/events?type=user.created&limit=200&order=${order}`, 16_000);
    const sequences = events.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => (order === 'asc' ? a - b : b - a)));
    const users = events.map(({ data }) => data.user);
    expect(users.map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const { name, metadata } of users) expect(metadata).toEqual(metadataOf(Number(name.slice(-3))));
  });
});

describe('the statement of a page', () => {
  const lists = [
    '/api/v1/users?limit=200',
    '/api/v1/users/search?q=long&limit=200',
    '/api/v1/events?limit=200',
  ];

  it.each(lists)('reads no long values; these are heavy work in parts: %s', async (path) => {
    const reads = jest.spyOn(service.app.get(Database), 'read');
    const statements = await statementsOf(service.dataSource, async () => api.get(path).expect(200));
    const parts = statements.filter(({ values }) =>
      values.some((value) => Array.isArray(value) && value.length > 1),
    );
    expect(parts.length).toBeGreaterThan(2);
    for (const { values } of parts) expect(values.flat().length).toBeLessThan(50);
    expect(reads.mock.calls.filter(([, , cost]) => cost === 'heavy').length).toBeGreaterThan(0);
  });

  it('is the only one if all values are short', async () => {
    const other = await service.client();
    for (let i = 0; i < 3; i++) await other.createUser({ metadata: { text: 'x'.repeat(500) } });
    const reads = jest.spyOn(service.app.get(Database), 'read');
    await other.get('/api/v1/users').expect(200);
    await other.get('/api/v1/events?order=desc').expect(200);
    expect(reads.mock.calls.filter(([, , cost]) => cost === 'heavy')).toEqual([]);
  });
});

describe('a user who changes while the long values of the page are read', () => {
  /** Runs `change` once, before the long values are read. */
  function beforeLongValues(change: () => Promise<unknown>) {
    const database = service.app.get(Database);
    const read = database.read.bind(database);
    const spy = jest.spyOn(database, 'read').mockImplementation(async (organizationId, work, cost) => {
      if (cost !== 'heavy') return read(organizationId, work, cost);
      spy.mockRestore();
      await change();
      return read(organizationId, work, cost);
    });
  }
  const aLongUser = (fields: object) => api.createUser({ metadata: metadataOf(1), ...fields });
  const names = async (query: string) => (await read(`/api/v1/users?${query}`)).data.map(({ name }) => name);
  beforeEach(async () => (api = await service.client()));

  it('is left out if it is deleted, or no longer passes the filter', async () => {
    const [gone, changed] = [await aLongUser({ name: 'Gone' }), await aLongUser({ name: 'Changed' })];
    await aLongUser({ name: 'Here' });
    beforeLongValues(async () => {
      await api.delete(`/api/v1/users/${gone.id}`).expect(204);
      await api.patch(`/api/v1/users/${changed.id}`).send({ role: 'admin' }).expect(200);
    });
    expect(await names('role=member')).toEqual(['Here']);
  });

  it('keeps its place, so that the next page goes on behind it', async () => {
    const all = [];
    for (const i of numbers) all.push(await aLongUser({ name: nameOf(i) }));
    // The last user of the first page, if nothing changes.
    const { body } = await api.get('/api/v1/users?sort=name&limit=200').expect(200);
    const last = body.data.at(-1);
    beforeLongValues(() => api.patch(`/api/v1/users/${last.id}`).send({ name: 'Zed' }).expect(200));
    const expected = numbers.map((i) => (nameOf(i) === last.name ? 'Zed' : nameOf(i)));
    // It comes again at its new place.
    expect(await names('sort=name&limit=200')).toEqual([...expected, 'Zed']);
  });
});

it.each(['asc', 'desc'])('a page of the feed that is behind is read once, %s', async (order) => {
  const other = await service.client();
  await other.createUser();
  await other.get('/api/v1/events').expect(200); // which numbers it
  await other.createUser();
  const reads = jest.spyOn(service.app.get(Database), 'read');
  const { body } = await other.get(`/api/v1/events?order=${order}`).expect(200);
  const results: unknown[] = await Promise.all(reads.mock.results.map(({ value }) => value));
  const pages = results.filter(
    (rows): rows is Body[] => Array.isArray(rows) && 'isAwaited' in Object(rows[0]),
  );
  expect(pages.map(([{ isAwaited }]) => isAwaited)).toEqual([true, false]);
  expect(pages.flat().filter(({ id }) => id !== null)).toHaveLength(body.data.length);
});
