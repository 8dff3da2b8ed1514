import { Readable } from 'node:stream';
import document from '../../openapi.json';
import { exportTexts, userPages } from '../../src/entry/cli/export';
import { readCsv } from '../../src/entry/cli/import/csv-file';
import { Database } from '../../src/platform/database/database';
import { USER_FIELDS, WRITABLE_FIELDS } from '../../src/users/user/user.entity';
import { TAKEN } from '../support/batch';
import { aUser } from '../support/client';
import { deletedPath, pathOf, restorePath, useDeletedUsers } from '../support/deleted-users';
import { scimClient } from '../support/scim';
import { keys, nested } from '../support/hostile';

const { service, api, listOf, found, eventsOf } = useDeletedUsers();

const LONGEST_EMAIL = `${'a'.repeat(64)}@${['d'.repeat(63), 'd'.repeat(63), 'd'.repeat(57)].join('.')}.com`;
const UNUSED_ID = 'usr_00000000000000000000000000';
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('POST /api/v1/users', () => {
  it('creates a user and returns it with its location', async () => {
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
    expect(await api.createUser()).toMatchObject({ role: 'member', active: true, metadata: {} });
  });

  it('requires a name and an email and reports both in one response', async () => {
    const { body } = await api.post('/api/v1/users', {}).expect(400);

    expect(body).toMatchObject({
      title: 'Bad Request',
      status: 400,
      code: 'validation_failed',
      detail: '2 fields are invalid.',
      errors: ['name', 'email'].map((field) => ({ field, code: 'required', message: 'is required' })),
    });
  });

  it('refuses fields that are invalid, unknown or immutable, and names the fault', async () => {
    const metadata = (value: unknown) => ({ metadata: value });
    for (const [field, code, ...bodies] of [
      ['name', 'too_short', { name: '   ' }],
      ['name', 'too_long', { name: '😀'.repeat(201) }],
      ['name', 'invalid', { name: 7 }],
      ['email', 'invalid', { email: 'nobody' }],
      ['email', 'too_long', { email: `${'a'.repeat(250)}@example.com` }],
      ['role', 'invalid', { role: 'owner' }],
      ['active', 'invalid', { active: 'true' }],
      ['metadata', 'invalid', metadata([])],
      ['metadata', 'too_many', metadata(keys(17)), metadata({ list: Array(1_000).fill(0) })],
      ['metadata', 'too_many', metadata({ list: Array(200).fill([[], {}, [null, '']]) })],
      [`metadata.${'k'.repeat(64)}…`, 'too_long', metadata({ ['k'.repeat(65)]: 1 })],
      ['metadata.', 'too_short', metadata({ '': 1 })],
      ['metadata', 'too_long', metadata({ text: 'x'.repeat(16 * 1024) })],
      [`metadata${'.x'.repeat(8)}`, 'invalid', metadata(nested(9))],
      ['nickname', 'unknown', { nickname: 'Ada' }],
      ['hasOwnProperty', 'unknown', { hasOwnProperty: 1 }],
      ['id', 'immutable', { id: UNUSED_ID }],
      ['createdAt', 'immutable', { createdAt: '2026-01-01T00:00:00.000Z' }],
      ['updatedAt', 'immutable', { updatedAt: null }],
    ] as [string, string, ...object[]][])
      for (const fields of bodies) {
        const { status, body } = await api.post('/api/v1/users', aUser(fields));
        const errors = [{ field, code, message: expect.any(String) }];
        expect({ fields, status, errors: body.errors }).toEqual({ fields, status: 400, errors });
      }
  });

  it('accepts what is as long or as deep as it may be, and gives any JSON back as it was', async () => {
    for (const fields of [
      { name: '😀'.repeat(200) }, // characters of two UTF-16 units
      { email: LONGEST_EMAIL },
      { metadata: keys(16) },
      { metadata: { ['😀'.repeat(64)]: 1 } },
      { metadata: nested(8) },
      { metadata: { list: Array(999).fill({}) } }, // 1,000 values
      { metadata: { text: 'x'.repeat(16 * 1024 - '{"text":""}'.length) } }, // 16 KB
      { metadata: { a: null, b: [1.5, -0.25, 1e-7, true, {}], c: 9007199254740991, then: 'no promise' } },
      { metadata: { b: 5e-324, a: 1e-300 } },
    ]) {
      const { status, body: created } = await api.post('/api/v1/users', aUser(fields));
      expect({ fields, status, created }).toMatchObject({ fields, status: 201, created: fields });
      const { body } = await api.get(`/api/v1/users/${created.id}`).expect(200);
      expect(JSON.stringify(body)).toBe(JSON.stringify(created));
    }
  });

  it('refuses an email that another user of the organization has, in any letter case or width', async () => {
    await api.createUser({ email: 'ada@example.com' });

    for (const email of ['ADA@example.com', 'ａda@example.com']) {
      const { body } = await api.post('/api/v1/users', aUser({ email })).expect(409);
      expect(body).toMatchObject({ code: 'conflict', errors: [{ field: 'email', code: 'taken' }] });
    }
  });
});

describe('GET /api/v1/users/{id}', () => {
  it('answers HEAD without a body', async () => {
    const user = await api.createUser();
    const { text, headers } = await api.head(`/api/v1/users/${user.id}`).expect(200);
    expect(text).toBeFalsy();
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(JSON.stringify(user)));
  });
});

describe('PATCH /api/v1/users/{id}', () => {
  it('changes only the fields in the body', async () => {
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

  it('refuses the email of another user, and accepts its own in another letter case', async () => {
    await api.createUser({ email: 'grace@example.com' });
    const ada = await api.createUser({ email: 'ada@example.com' });

    const { body } = await api.patch(`/api/v1/users/${ada.id}`, { email: 'Grace@Example.com' }).expect(409);
    expect(body.errors).toMatchObject([{ field: 'email', code: 'taken' }]);

    await api.patch(`/api/v1/users/${ada.id}`, { email: 'ADA@example.com' }).expect(200);
  });
});

describe('DELETE /api/v1/users/{id}', () => {
  it('deletes the user and returns an empty body; a second delete is a 404', async () => {
    const user = await api.createUser();

    const { text, headers } = await api.delete(`/api/v1/users/${user.id}`).expect(204);

    expect(text).toBe('');
    expect(headers['content-type']).toBeUndefined();
    await api.get(`/api/v1/users/${user.id}`).expect(404);
    await api.delete(`/api/v1/users/${user.id}`).expect(404);
  });
});

describe('the fields of a user', () => {
  const { CreateUser, User } = document.components.schemas;

  /** A value of every field that callers may set, and no default. A new field has the example of its DTO. */
  const FIELDS: Record<string, unknown> & { email: string } = {
    ...Object.fromEntries(
      Object.entries(CreateUser.properties).map(([name, { examples }]) => [name, examples[0]]),
    ),
    email: 'ada@example.com',
    role: 'viewer',
    active: false,
  };

  const minimal = { name: 'Someone', email: FIELDS.email };

  const batch = (users: object[]) => api.post('/api/v1/users/batch', { mode: 'upsert', users }).expect(200);

  const create = () => api.createUser(FIELDS);

  /** The user whom the other way of writing has written. */
  const written = async () => (await api.get(`/api/v1/users?email=${FIELDS.email}`).expect(200)).body.data[0];

  /** The text of `ums users export`. */
  async function exported(format: 'csv' | 'ndjson'): Promise<string> {
    const pages = userPages(service.app.get(Database), api.organizationId, {});
    let all = '';
    for await (const text of exportTexts(pages, { format, delimiter: ',' })) all += text;
    return all;
  }

  /** The fields of a user that callers may set. */
  const writable = (user: object) =>
    Object.fromEntries(Object.entries(user).filter(([name]) => name in FIELDS));

  /** Replaces the user by what `ums users import` reads from a CSV file of `ums users export`. */
  async function exportAndImport(user: { id: string }): Promise<void> {
    const file = Buffer.from(await exported('csv'));
    await api.delete(pathOf(user)).expect(204);
    const users: object[] = [];
    for await (const { input } of readCsv(Readable.from([file])).rows) users.push(writable(input!));
    await batch(users);
  }

  it('the entity, the DTO and the view have the same fields', () => {
    expect(Object.keys(CreateUser.properties)).toEqual([...WRITABLE_FIELDS]);
    expect(Object.keys(User.properties)).toEqual([...USER_FIELDS, 'directory']);
  });

  it('every way of writing writes every field', async () => {
    for (const [way, write] of Object.entries<() => Promise<unknown>>({
      POST: create,
      PATCH: async () => api.patch(pathOf(await api.createUser(minimal)), FIELDS).expect(200),
      'a new user of a batch': () => batch([FIELDS]),
      'a changed user of a batch': async () => {
        await api.createUser(minimal);
        await batch([FIELDS]);
      },
      'a batch that changes another field': async () => {
        await api.createUser({ ...FIELDS, name: 'Former' });
        await batch([{ name: FIELDS.name, email: FIELDS.email }]);
      },
      'DELETE and a restore': async () => {
        const user = await create();
        await api.delete(pathOf(user)).expect(204);
        await api.post(restorePath(user)).expect(200);
      },
      'an export and an import': async () => exportAndImport(await create()),
    })) {
      await write();
      const user = await written();
      expect({ way, ...user }).toMatchObject({ way, ...FIELDS });
      await api.delete(pathOf(user)).expect(204);
    }
  });

  it('an export and an import keep the defaults', async () => {
    const user = await api.createUser(minimal);
    await exportAndImport(user);
    expect(await written()).toMatchObject(writable(user));
  });

  it('every response, event and export shows every field', async () => {
    const user = await create();
    const shown: Record<string, object> = {
      GET: (await api.get(pathOf(user)).expect(200)).body,
      list: await written(),
      search: (await found('lovelace'))[0],
      'search of the email': (await found(user.email))[0],
      'export of the person': (await api.get(`${pathOf(user)}/export`).expect(200)).body.user,
      'ums users export': JSON.parse(await exported('ndjson')),
      event: (await eventsOf(user))[0].data.user,
    };
    await api.delete(pathOf(user)).expect(204);
    const { body: deleted } = await api.get(deletedPath(user)).expect(200);
    const [listed] = await listOf();

    expect(Object.keys(user)).toEqual([...USER_FIELDS]);
    for (const [where, fields] of Object.entries({ ...shown, deleted, 'deleted list': listed }))
      expect([where, JSON.stringify({ ...fields, deletedAt: undefined, purgeAt: undefined })]).toEqual([
        where,
        JSON.stringify(user),
      ]);
  });
});

const USERS = '/api/v1/users';
const EXTERNAL_ID_TAKEN = { ...TAKEN, field: 'externalId' };

const idsIn = async (query: string, path = USERS): Promise<string[]> =>
  (await api.get(`${path}?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

describe('the external id of a user', () => {
  it('is null unless the caller gives one, and is removed by null', async () => {
    const user = await api.createUser();
    expect(user.externalId).toBeNull();
    const { body: named } = await api.patch(pathOf(user), { externalId: 'E-1' }).expect(200);
    expect(named).toMatchObject({ externalId: 'E-1', version: 2 });
    expect((await api.patch(pathOf(user), { externalId: ' E-1 ' }).expect(200)).body).toEqual(named);
    const { body: unnamed } = await api.patch(pathOf(user), { externalId: null }).expect(200);
    expect(unnamed).toMatchObject({ externalId: null, version: 3 });
    expect((await api.patch(pathOf(user), { externalId: null }).expect(200)).body).toEqual(unnamed);

    const { body: events } = await api.get('/api/v1/events?type=user.updated').expect(200);
    expect(events.data.map(({ data }: { data: { previous: object } }) => data.previous)).toEqual([
      { externalId: null },
      { externalId: 'E-1' },
    ]);
  });

  it('has up to 200 characters, whatever they are', async () => {
    const externalId = `${'𝄞'.repeat(197)} %'`;
    const user = await api.createUser({ externalId });
    expect(user.externalId).toBe(externalId);
    expect(await idsIn(`externalId=${encodeURIComponent(externalId)}`)).toEqual([user.id]);
  });

  it('is unique in the organization, compared exactly', async () => {
    const user = await api.createUser({ externalId: 'e-1' });
    const other = await api.createUser({ externalId: 'E-1' });
    for (const externalId of ['e-1 ', 'E-1']) {
      const { body } = await api.post(USERS, aUser({ externalId })).expect(409);
      expect(body).toMatchObject({ code: 'conflict', errors: [EXTERNAL_ID_TAKEN] });
    }
    const { body } = await api.patch(pathOf(other), { externalId: 'e-1', name: 'New' }).expect(409);
    expect(body.errors).toEqual([EXTERNAL_ID_TAKEN]);
    await api.get(pathOf(other)).expect(200, other);

    const elsewhere = await service.client();
    await elsewhere.createUser({ externalId: 'e-1' });
    await api.patch(pathOf(user), { externalId: null }).expect(200);
    await api.patch(pathOf(other), { externalId: 'e-1' }).expect(200);
  });

  it('is given to one of many who ask for it at once', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => (await api.post(USERS, aUser({ externalId: 'E-1' }))).status),
    );
    expect(statuses.sort()).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    expect(await idsIn('externalId=E-1')).toHaveLength(1);
  });

  it('is a filter of lists, alone and with others, in every sort', async () => {
    const user = await api.createUser({ externalId: 'E-1', role: 'viewer' });
    await api.createUser({ externalId: 'e-1' });
    await api.createUser();
    for (const sort of ['createdAt', 'updatedAt', 'name', 'email'])
      for (const more of ['', '&role=viewer', '&active=true', `&email=${encodeURIComponent(user.email)}`])
        expect(await idsIn(`externalId=%20E-1&sort=${sort}${more}`)).toEqual([user.id]);
    for (const more of ['&role=admin', '&active=false', '&email=other@example.com'])
      expect(await idsIn(`externalId=E-1${more}`)).toEqual([]);
    expect(await idsIn('externalId=E')).toEqual([]);
    await api.get(`${USERS}?externalId=`).expect(400);
  });

  it('is free as soon as its user is deleted, who cannot be restored while another has it', async () => {
    const user = await api.createUser({ externalId: 'E-1' });
    await api.delete(pathOf(user)).expect(204);
    const other = await api.createUser({ externalId: 'E-1' });
    const { body } = await api.post(restorePath(user)).expect(409);
    expect(body.errors).toEqual([EXTERNAL_ID_TAKEN]);
    expect((await api.get(`/api/v1/deleted-users/${user.id}`).expect(200)).body.externalId).toBe('E-1');
    await api.patch(pathOf(other), { externalId: 'E-2' }).expect(200);
    expect((await api.post(restorePath(user)).expect(200)).body.externalId).toBe('E-1');
  });
});

it("the externalId of SCIM is the directory's, and another one", async () => {
  const scim = await scimClient(service, { organizationId: api.organizationId });
  const { body } = await scim
    .post('/Users', { userName: 'ada@example.com', externalId: 'okta-1', displayName: 'Ada' })
    .expect(201);
  const user = (await api.get(pathOf(body)).expect(200)).body;
  expect(user.externalId).toBeNull();
  await api.patch(pathOf(user), { externalId: 'E-1' }).expect(200);
  expect((await scim.get(`/Users/${user.id}`).expect(200)).body.externalId).toBe('okta-1');
  await scim
    .put(`/Users/${user.id}`, { userName: 'ada@example.com', externalId: 'okta-2', displayName: 'Ada' })
    .expect(200);
  expect((await api.get(pathOf(user)).expect(200)).body.externalId).toBe('E-1');
  expect(await idsIn('externalId=okta-2')).toEqual([]);
});

describe('a search for the whole of an external id', () => {
  const search = (q: string, more = '') => idsIn(`q=${encodeURIComponent(q)}${more}`, `${USERS}/search`);

  it('finds its user alone, at once, or nobody if a filter excludes it', async () => {
    const user = await api.createUser({ externalId: 'Smith', role: 'viewer' });
    const smith = await api.createUser({ name: 'Ann Smith' });
    expect(await search(' Smith ')).toEqual([user.id]);
    expect(await search('Smith', '&role=viewer')).toEqual([user.id]);
    expect(await search('Smith', '&role=admin')).toEqual([]);
    expect(await search('smith')).toEqual([smith.id]);
    expect(await search('Smit')).toEqual([smith.id]);
    await api.patch(pathOf(user), { externalId: null }).expect(200);
    expect(await search('Smith')).toEqual([smith.id]);
  });

  it('comes after an id and before an email', async () => {
    const first = await api.createUser();
    const second = await api.createUser({ externalId: first.id });
    const third = await api.createUser({ externalId: second.email });
    expect(await search(first.id)).toEqual([first.id]);
    expect(await search(second.email)).toEqual([third.id]);
    await api.delete(pathOf(first)).expect(204);
    expect(await search(first.id)).toEqual([second.id]);
    await api.delete(pathOf(third)).expect(204);
    expect(await search(second.email)).toEqual([second.id]);
  });
});
