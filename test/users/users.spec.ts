import { aUser } from '../support/client';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

const UNUSED_ID = 'usr_00000000000000000000000000';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('POST /api/v1/users', () => {
  it('creates a user and returns it with its location', async () => {
    const api = await service.client();

    const { body, headers } = await api
      .post('/api/v1/users', {
        externalId: ' E-4711\t',
        name: '  Ada Lovelace ',
        email: ' Ada@Example.com ',
        role: 'viewer',
        active: false,
        metadata: { plan: 'pro' },
      })
      .expect(201);

    expect(body).toEqual({
      id: expect.stringMatching(/^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      externalId: 'E-4711',
      name: 'Ada Lovelace',
      email: 'Ada@Example.com',
      role: 'viewer',
      active: false,
      metadata: { plan: 'pro' },
      version: 1,
      createdAt: expect.stringMatching(TIMESTAMP),
      updatedAt: body.createdAt,
    });
    expect(headers.location).toBe(`/api/v1/users/${body.id}`);
    await api.get(headers.location).expect(200, body);
  });

  it('defaults to an active member with empty metadata', async () => {
    const api = await service.client();
    expect(await api.createUser()).toMatchObject({ role: 'member', active: true, metadata: {} });
  });

  it('requires a name and an email and reports both in one response', async () => {
    const api = await service.client();

    const { body } = await api.post('/api/v1/users', {}).expect(400);

    expect(body).toMatchObject({
      title: 'Bad Request',
      status: 400,
      code: 'validation_failed',
      detail: '2 fields are invalid.',
      errors: [
        { field: 'name', code: 'required', message: 'is required' },
        { field: 'email', code: 'required', message: 'is required' },
      ],
    });
  });

  it.each([
    ['name', { name: '   ' }, 'name', 'too_short'],
    ['name', { name: '😀'.repeat(201) }, 'name', 'too_long'],
    ['name', { name: 7 }, 'name', 'invalid'],
    ['name', { name: null }, 'name', 'invalid'],
    ['email', { email: 'nobody' }, 'email', 'invalid'],
    ['email', { email: `${'a'.repeat(250)}@example.com` }, 'email', 'too_long'],
    ['email', { email: null }, 'email', 'invalid'],
    ['email', { email: 'a\u3000b@example.com' }, 'email', 'invalid'],
    ['role', { role: 'owner' }, 'role', 'invalid'],
    ['role', { role: null }, 'role', 'invalid'],
    ['active', { active: 'true' }, 'active', 'invalid'],
    ['active', { active: 0 }, 'active', 'invalid'],
    ['active', { active: null }, 'active', 'invalid'],
    ['metadata', { metadata: [] }, 'metadata', 'invalid'],
    ['metadata', { metadata: null }, 'metadata', 'invalid'],
    ['metadata', { metadata: keys(17) }, 'metadata', 'too_many'],
    ['metadata', { metadata: { ['k'.repeat(65)]: 1 } }, `metadata.${'k'.repeat(64)}…`, 'too_long'],
    ['metadata', { metadata: { '': 1 } }, 'metadata.', 'too_short'],
    ['metadata', { metadata: { text: 'x'.repeat(16 * 1024) } }, 'metadata', 'too_long'],
    ['metadata', { metadata: { list: Array(1_000).fill(0) } }, 'metadata', 'too_many'],
    ['metadata', { metadata: { list: Array(200).fill([[], {}, [null, '']]) } }, 'metadata', 'too_many'],
    ['metadata', { metadata: nest(9) }, `metadata${'.in'.repeat(8)}`, 'invalid'],
    ['unknown field', { nickname: 'Ada' }, 'nickname', 'unknown'],
    ['unknown field', { hasOwnProperty: 1 }, 'hasOwnProperty', 'unknown'],
    ['immutable field', { id: UNUSED_ID }, 'id', 'immutable'],
    ['immutable field', { createdAt: '2026-01-01T00:00:00.000Z' }, 'createdAt', 'immutable'],
    ['immutable field', { updatedAt: null }, 'updatedAt', 'immutable'],
  ])('refuses an invalid %s: %# %j', async (_kind, fields, field, code) => {
    const api = await service.client();
    const { body } = await api.post('/api/v1/users', aUser(fields)).expect(400);
    expect(body.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it.each([
    ['a name of 200 characters of two UTF-16 units each', { name: '😀'.repeat(200) }],
    ['metadata with 16 keys', { metadata: keys(16) }],
    ['a key of 64 characters', { metadata: { ['😀'.repeat(64)]: 1 } }],
    ['metadata with 8 levels', { metadata: nest(8) }],
    ['metadata with 1,000 values', { metadata: { list: Array(999).fill({}) } }],
    ['metadata of 16 KB', { metadata: { text: 'x'.repeat(16 * 1024 - '{"text":""}'.length) } }],
    [
      'any JSON in metadata',
      { metadata: { a: null, b: [1.5, -0.25, 1e-7, true, {}], c: 9007199254740991, then: 'no promise' } },
    ],
    ['keys in their order and very small numbers', { metadata: { b: 5e-324, a: 1e-300 } }],
    ['an address of 254 characters', { email: longestEmail() }],
  ])('accepts %s', async (_case, fields) => {
    const api = await service.client();
    const created = await api.createUser(fields);
    expect(created).toMatchObject(fields);
    await api.get(`/api/v1/users/${created.id}`).expect(200, created);
  });

  it('refuses an email that another user of the organization has, in any letter case or width', async () => {
    const api = await service.client();
    await api.createUser({ email: 'ada@example.com' });

    for (const email of ['ADA@example.com', 'ａda@example.com']) {
      const { body } = await api.post('/api/v1/users', aUser({ email })).expect(409);
      expect(body).toMatchObject({ code: 'conflict', errors: [{ field: 'email', code: 'taken' }] });
    }
  });

  it('accepts the same email in another organization', async () => {
    const [one, other] = [await service.client(), await service.client()];
    await one.createUser({ email: 'same@example.com' });
    await other.createUser({ email: 'same@example.com' });
  });
});

describe('GET /api/v1/users/{id}', () => {
  it('returns the user', async () => {
    const api = await service.client();
    const user = await api.createUser();
    await api.get(`/api/v1/users/${user.id}`).expect(200, user);
  });

  it('answers HEAD without a body', async () => {
    const api = await service.client();
    const user = await api.createUser();
    const { text, headers } = await api.head(`/api/v1/users/${user.id}`).expect(200);
    expect(text).toBeFalsy();
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(JSON.stringify(user)));
  });
});

describe('PATCH /api/v1/users/{id}', () => {
  it('changes only the fields in the body', async () => {
    const api = await service.client();
    const user = await api.createUser({ role: 'admin', metadata: { a: 1 } });

    const { body } = await api.patch(`/api/v1/users/${user.id}`, { name: ' Grace Hopper ' }).expect(200);

    expect(body).toEqual({
      ...user,
      name: 'Grace Hopper',
      version: 2,
      updatedAt: expect.stringMatching(TIMESTAMP),
    });
    expect(body.updatedAt >= user.updatedAt).toBe(true);
    await api.get(`/api/v1/users/${user.id}`).expect(200, body);
  });

  it('replaces metadata as a whole', async () => {
    const api = await service.client();
    const user = await api.createUser({ metadata: { a: 1, b: 2 } });
    const { body } = await api.patch(`/api/v1/users/${user.id}`, { metadata: { c: 3 } }).expect(200);
    expect(body.metadata).toEqual({ c: 3 });
  });

  it('changes nothing, not even updatedAt, for an empty object', async () => {
    const api = await service.client();
    const user = await api.createUser();
    await api.patch(`/api/v1/users/${user.id}`, {}).expect(200, user);
  });

  it('refuses immutable fields and null, and then changes nothing', async () => {
    const api = await service.client();
    const user = await api.createUser();

    const fields = {
      name: 'Grace Hopper',
      email: null,
      id: UNUSED_ID,
      createdAt: user.createdAt,
      updatedAt: user.updatedAt,
    };
    const { body } = await api.patch(`/api/v1/users/${user.id}`, fields).expect(400);

    expect(body.errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual(
      expect.arrayContaining([
        ['email', 'invalid'],
        ['id', 'immutable'],
        ['createdAt', 'immutable'],
        ['updatedAt', 'immutable'],
      ]),
    );
    await api.get(`/api/v1/users/${user.id}`).expect(200, user);
  });

  it('refuses the email of another user, and accepts its own in another letter case', async () => {
    const api = await service.client();
    await api.createUser({ email: 'grace@example.com' });
    const ada = await api.createUser({ email: 'ada@example.com' });

    const { body } = await api.patch(`/api/v1/users/${ada.id}`, { email: 'Grace@Example.com' }).expect(409);
    expect(body.errors).toMatchObject([{ field: 'email', code: 'taken' }]);

    await api.patch(`/api/v1/users/${ada.id}`, { email: 'ADA@example.com' }).expect(200);
  });

  it('keeps all concurrent changes to different fields', async () => {
    const api = await service.client();
    const user = await api.createUser();
    const changes = {
      name: 'Grace Hopper',
      email: 'grace@navy.example',
      role: 'admin',
      active: false,
      metadata: { rank: 'admiral' },
    };

    await Promise.all(
      Object.entries(changes).map(([field, value]) =>
        api.patch(`/api/v1/users/${user.id}`, { [field]: value }).expect(200),
      ),
    );

    expect((await api.get(`/api/v1/users/${user.id}`).expect(200)).body).toMatchObject(changes);
  });
});

describe('DELETE /api/v1/users/{id}', () => {
  it('deletes the user and returns an empty body; a second delete is a 404', async () => {
    const api = await service.client();
    const user = await api.createUser();

    const { text, headers } = await api.delete(`/api/v1/users/${user.id}`).expect(204);

    expect(text).toBe('');
    expect(headers['content-type']).toBeUndefined();
    await api.get(`/api/v1/users/${user.id}`).expect(404);
    await api.delete(`/api/v1/users/${user.id}`).expect(404);
  });

  it('frees the email', async () => {
    const api = await service.client();
    const user = await api.createUser({ email: 'again@example.com' });
    await api.delete(`/api/v1/users/${user.id}`).expect(204);
    await api.createUser({ email: 'again@example.com' });
  });

  it('keeps the user deleted when updates arrive at the same time', async () => {
    const api = await service.client();
    const user = await api.createUser();
    const change = (i: number) =>
      api.patch(`/api/v1/users/${user.id}`, { name: `Name ${i}` }).then(({ status }) => status);

    const changes = Array.from({ length: 20 }, (_, i) => change(i));
    await api.delete(`/api/v1/users/${user.id}`).expect(204);

    for (const status of await Promise.all(changes)) expect([200, 404]).toContain(status);
    await api.get(`/api/v1/users/${user.id}`).expect(404);
  });
});

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]));
}

/** An object with this many levels. */
function nest(levels: number): object {
  return levels === 1 ? {} : { in: nest(levels - 1) };
}

function longestEmail(): string {
  const domain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(58)}.com`;
  return `${'a'.repeat(254 - domain.length - 1)}@${domain}`;
}
