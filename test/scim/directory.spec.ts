import fc from 'fast-check';
import { createClient } from '../../client/index';
import { shownAttributes, shownText } from '../../src/scim/users/scim-directory-attributes';
import { DeletedUsersService } from '../../src/users/deleted/deleted-users.service';
import { Database } from '../../src/platform/database/database';
import { exportTexts, userPages } from '../../src/entry/cli/export';
import { DirectoryAttributes } from '../../src/users/query/directory-attributes';
import { UserSearch } from '../../src/users/search/user-search.service';
import { UsersService } from '../../src/users/users.service';
import { type Body, ENTERPRISE, useScim } from '../support/scim';
import { statementsOf } from '../support/statements';

// What a directory has given, where programs read it.

const { service, scim } = useScim();

const GIVEN = {
  userName: 'Ada',
  externalId: 'ext-1',
  displayName: 'Ada Lovelace',
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  title: 'Countess',
  phoneNumbers: [{ value: '+44 1', type: 'work' }],
  active: true,
};
const WORK = { department: 'Engines', manager: { value: 'boss', displayName: 'Charles' } };
const DIRECTORY = (({ active: _active, ...given }) => ({ ...given, ...WORK }))(GIVEN);

const provision = async (fields: object = {}): Promise<string> =>
  (await scim.post('/Users', { ...GIVEN, [ENTERPRISE]: WORK, ...fields }).expect(201)).body.id;
const get = async (path: string): Promise<Body> => (await scim.api.get(`/api/v1${path}`).expect(200)).body;
const directoryOf = async (id: string) => (await get(`/users/${id}?include=directory`)).directory;
const previousOf = async (id: string): Promise<Body[]> =>
  (await get(`/events?target=${id}&type=user.updated`)).data.map(({ data }: Body) => data.previous);

describe('include=directory', () => {
  it('shows what a directory has given: of one user, in lists, in a search, and of deleted users', async () => {
    const id = await provision();
    const { id: other } = await scim.api.createUser({ name: 'Ada Byron' });
    const user = await get(`/users/${id}`);
    expect(user).not.toHaveProperty('directory');
    expect(await get(`/users/${id}?include=directory`)).toEqual({ ...user, directory: DIRECTORY });
    expect(await directoryOf(other)).toBeNull();
    const directories = ({ data }: Body) => data.map(({ id, directory }: Body) => [id, directory]);
    const both = [
      [id, DIRECTORY],
      [other, null],
    ];
    expect(directories(await get('/users?order=asc&include=directory'))).toEqual(both);
    expect(directories(await get('/users/search?q=ada&include=directory')).sort()).toEqual(both.sort());
    expect(directories(await get('/users/search?q=ada@example.com&include=directory'))).toEqual([both[0]]);
    expect((await get('/users')).data[0]).not.toHaveProperty('directory');
    await scim.api.delete(`/api/v1/users/${id}`).expect(204);
    await scim.api.delete(`/api/v1/users/${other}`).expect(204);
    expect(directories(await get('/deleted-users?include=directory')).sort()).toEqual(both.sort());
    const deleted = await get(`/deleted-users/${id}`);
    expect(deleted).not.toHaveProperty('directory');
    expect(await get(`/deleted-users/${id}?include=directory`)).toEqual({ ...deleted, directory: DIRECTORY });
    await scim.api.delete(`/api/v1/deleted-users/${id}`).expect(204);
    await scim.api.get(`/api/v1/deleted-users/${id}?include=directory`).expect(404);
  });

  it('shows the same to a program in the process, and to the client', async () => {
    const id = await provision();
    const { organizationId } = scim.api;
    const app = service().app;
    const query = { include: ['directory'] as ['directory'] };
    expect(await app.get(UsersService).get(organizationId, id, query)).toMatchObject({
      directory: DIRECTORY,
    });
    const list = await app.get(UsersService).list(organizationId, query);
    const found = await app.get(UserSearch).search(organizationId, { q: 'ada', ...query });
    expect([list, found].map(({ data }) => data[0].directory)).toEqual([DIRECTORY, DIRECTORY]);
    const client = createClient({ baseUrl: service().url, token: scim.api.tokenValue });
    const user = await client.users.get(id, { include: 'directory' });
    expect([user.directory?.department, user.directory?.manager?.displayName]).toEqual([
      'Engines',
      'Charles',
    ]);
    for await (const { directory } of client.users.list(query)) expect(directory).toEqual(DIRECTORY);
    await client.users.delete(id);
    for await (const { directory } of client.deletedUsers.list(query)) expect(directory).toEqual(DIRECTORY);
    expect(await app.get(DeletedUsersService).get(organizationId, id, query)).toEqual(
      expect.objectContaining({ directory: DIRECTORY }),
    );
  });

  it('is a member of each line of an export, and a column of JSON that --columns may place', async () => {
    const [ada, other] = [await provision(), (await scim.api.createUser({ name: 'Eve' })).id];
    const app = service().app;
    const pages = () =>
      userPages(app.get(Database), scim.api.organizationId, {}, app.get(DirectoryAttributes));
    let lines = '';
    for await (const text of exportTexts(pages(), { format: 'ndjson', delimiter: ',' })) lines += text;
    const users = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(users.map(({ id, directory }) => [id, directory])).toEqual([
      [ada, DIRECTORY],
      [other, null],
    ]);
    let rows = '';
    const columns = ['name', 'directory'] as const;
    for await (const text of exportTexts(pages(), { format: 'csv', delimiter: ',', columns })) rows += text;
    const quoted = JSON.stringify(DIRECTORY).replaceAll('"', '""');
    expect(rows).toBe(`name,directory\nAda Lovelace,"${quoted}"\nEve,\n`);
  });

  it('is refused with another value, and on writes', async () => {
    const id = await provision();
    for (const path of [`/users/${id}`, '/users', '/users/search', '/deleted-users', `/deleted-users/${id}`])
      for (const query of [
        'include=groups',
        'include=',
        'include=directory,groups',
        'include=directory&include=directory',
      ]) {
        const { body } = await scim.api.get(`/api/v1${path}?q=ada&${query}`).expect(400);
        expect(body.errors.map(({ field }: Body) => field)).toContain('include');
      }
    await scim.api.patch(`/api/v1/users/${id}?include=directory`, { name: 'A' }).expect(400);
    const { body } = await scim.api.patch(`/api/v1/users/${id}`, { directory: {} }).expect(400);
    expect(body.errors).toMatchObject([{ field: 'directory', code: 'unknown' }]);
  });

  it('leaves out what was only derived, and shows what a directory has set since', async () => {
    const { id, email, name } = await scim.api.createUser({ name: 'Ada King', email: 'king@example.com' });
    await scim.change(`/Users/${id}`, { op: 'replace', path: 'active', value: false }).expect(200);
    expect(await directoryOf(id)).toBeNull();
    await scim.change(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Countess' }).expect(200);
    expect(await directoryOf(id)).toEqual({ title: 'Countess' });
    await scim.api
      .patch(`/api/v1/users/${id}`, { name: 'Ada Byron', email: 'byron@example.com' })
      .expect(200);
    expect(await directoryOf(id)).toEqual({ title: 'Countess' });
    await scim.change(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'ada' }).expect(200);
    expect(await directoryOf(id)).toEqual({ userName: 'ada', title: 'Countess' });
    const { body } = await scim.get(`/Users/${id}`).expect(200);
    expect(body).toMatchObject({ displayName: 'Ada Byron', emails: [{ value: 'byron@example.com' }] });
    await scim
      .put(`/Users/${id}`, { userName: 'ada', displayName: name, emails: [{ value: email }] })
      .expect(200);
    expect(await directoryOf(id)).toEqual({ userName: 'ada', displayName: name, emails: [{ value: email }] });
  });

  it('leaves out what follows a change of the API, and keeps what the directory had given of it', async () => {
    const { body: bare } = await scim
      .post('/Users', { userName: 'bare@example.com', title: 'T' })
      .expect(201);
    const change = { name: 'New', email: 'new@example.com' };
    await scim.api.patch(`/api/v1/users/${bare.id}`, change).expect(200);
    expect(await directoryOf(bare.id)).toEqual({ userName: 'bare@example.com', title: 'T' });
    expect(await previousOf(bare.id)).toEqual([{ name: 'bare@example.com', email: 'bare@example.com' }]);
    const { id } = await scim.api.createUser();
    await scim.change(`/Users/${id}`, { op: 'add', path: 'displayName', value: 'Annie' }).expect(200);
    await scim.api.patch(`/api/v1/users/${id}`, { name: 'Ann' }).expect(200);
    expect(await directoryOf(id)).toEqual({ displayName: 'Ann' });
  });

  it('joins stored texts as it would write the attributes, whatever they are and in any order', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(ENTERPRISE, `,"${ENTERPRISE}":{`, '}}'),
    );
    const values = fc.oneof(
      text,
      fc.record({ value: text }),
      fc.array(fc.record({ value: text }), { maxLength: 2 }),
    );
    const attributes = fc
      .tuple(
        fc.dictionary(fc.constantFrom('title', 'nickName', 'name', 'emails'), values),
        fc.option(fc.dictionary(fc.constantFrom('department', 'manager'), values)),
        fc.nat(4),
      )
      .map(([core, extension, at]) => {
        const members = Object.entries(core);
        if (extension) members.splice(at, 0, [ENTERPRISE, extension as never]);
        return Object.fromEntries(members);
      });
    const row = fc.record({
      userName: text,
      externalId: fc.option(text),
      attributes,
      derived: fc.subarray(['name', 'emails', 'userName'], { maxLength: 1 }),
    });
    fc.assert(
      fc.property(row, (row) => {
        const shown = shownText({ ...row, attributes: JSON.stringify(row.attributes) });
        expect(JSON.parse(shown)).toEqual(shownAttributes(row as never));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is one statement more for a page, and none without it', async () => {
    for (let n = 0; n < 3; n++)
      await provision({ userName: `u${n}`, emails: [{ value: `u${n}@example.com` }] });
    for (const path of ['/users', '/users/search?q=ada', '/deleted-users']) {
      const count = async (include: string) => {
        await get(path);
        const url = `${path}${path.includes('?') ? '&' : '?'}${include}`;
        return (await statementsOf(service().dataSource, () => get(url))).length;
      };
      expect([path, await count('limit=50')]).toEqual([path, (await count('include=directory')) - 1]);
    }
  });

  it('ends a page before a megabyte of attributes, and goes on after it, in a walk that does not depend on it', async () => {
    const long = Array.from({ length: 130 }, (_, n) => ({ value: `${n}`.padEnd(90, 'x'), type: 'work' }));
    const middle = long.slice(0, 20);
    for (let n = 0; n < 130; n++)
      await provision({
        userName: `u${n}`,
        emails: [{ value: `u${n}@example.com` }],
        entitlements: n % 2 ? long : middle,
      });
    for (const path of ['/users?', '/users?sort=name&', '/users/search?q=ada&', '/deleted-users?']) {
      if (path.startsWith('/deleted'))
        for (const { id } of (await get('/users?limit=200')).data)
          await scim.api.delete(`/api/v1/users/${id}`);
      const ids = (await get(`${path}limit=200`)).data.map(({ id }: Body) => id);
      const seen: string[] = [];
      let pages = 0;
      for (let cursor = ''; pages < 10; pages++) {
        const { text, body } = await scim.api
          .get(`/api/v1${path}limit=150&include=directory${cursor}`)
          .expect(200);
        expect(text.length).toBeLessThan(1024 * 1024);
        for (const { id, directory } of body.data) {
          expect([20, 130]).toContain(directory.entitlements.length);
          seen.push(id);
        }
        if (body.nextCursor === null) break;
        // A page without the attributes ends elsewhere, and its cursor is of the same list.
        const next = await get(`${path}limit=150&cursor=${body.nextCursor}`);
        expect(next.data[0].id).toBe(ids[seen.length]);
        cursor = `&cursor=${body.nextCursor}`;
      }
      expect([path, seen]).toEqual([path, ids]);
      expect(pages).toBe(1);
    }
  });
});

it('a page of short attributes ends, too, where they and the other texts pass a megabyte', async () => {
  const users = Array.from({ length: 200 }, (_, n) => ({
    name: '😀'.repeat(200),
    email: `u${n}@example.com`,
    externalId: `${n}`.padEnd(200, '€'),
    metadata: { text: 'x'.repeat(1_000) },
  }));
  await scim.api.post('/api/v1/users/batch', { users }).expect(200);
  await service().dataSource.query(
    `INSERT INTO scim_users (organization_id, user_id, user_name, attributes, email, name, keys)
     SELECT organization_id, id, email, json_build_object('title', repeat('y', 3000)), email, name, '{}'
     FROM users WHERE organization_id = $1`,
    [scim.api.organizationId],
  );
  const { text, body } = await scim.api.get('/api/v1/users?limit=200&include=directory').expect(200);
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  const next = await get(`/users?limit=200&include=directory&cursor=${body.nextCursor}`);
  expect(body.data.length + next.data.length).toBe(200);
  expect(next.data.length).toBeGreaterThan(0);
});

describe('the event of a change by a directory', () => {
  it('has the former values of the attributes that changed, each whole', async () => {
    const id = await provision();
    const changes = [
      { op: 'replace', path: 'title', value: 'Analyst' },
      { op: 'replace', path: `${ENTERPRISE}:manager.displayName`, value: 'Mary' },
      { op: 'add', path: 'nickName', value: 'Enchantress' },
      { op: 'remove', path: 'phoneNumbers' },
      { op: 'replace', path: 'active', value: false },
    ];
    await scim.change(`/Users/${id}`, ...changes).expect(200);
    const [previous] = await previousOf(id);
    expect(previous).toEqual({
      active: true,
      directory: {
        title: 'Countess',
        manager: WORK.manager,
        nickName: null,
        phoneNumbers: GIVEN.phoneNumbers,
      },
    });
    const [{ data }] = (await get(`/events?target=${id}&type=user.updated`)).data;
    expect(data.user).not.toHaveProperty('directory');
    expect(data.user.version).toBe(2);
    await scim.change(`/Users/${id}`, ...changes).expect(200);
    expect(await previousOf(id)).toHaveLength(1);
    await scim.change(`/Users/${id}`, { op: 'replace', path: 'active', value: true }).expect(200);
    expect((await previousOf(id))[1]).toEqual({ active: false });
  });

  it('has them of a user whom no directory had written, and of a change that the attributes follow', async () => {
    const { id } = await scim.api.createUser({ name: 'Ada King' });
    await scim.change(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Countess' }).expect(200);
    expect(await previousOf(id)).toEqual([{ directory: { title: null } }]);
    const ada = await provision();
    await scim.api.patch(`/api/v1/users/${ada}`, { name: 'Ada King' }).expect(200);
    const change = { email: 'ada@example.com', name: 'Ada Byron' };
    await scim.api.post('/api/v1/users/batch', { users: [change], mode: 'update' }).expect(200);
    expect(await previousOf(ada)).toEqual([
      { name: 'Ada Lovelace', directory: { displayName: 'Ada Lovelace' } },
      { name: 'Ada King', directory: { displayName: 'Ada King' } },
    ]);
  });

  it('has nothing of them after a purge', async () => {
    const id = await provision();
    await scim.change(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Analyst' }).expect(200);
    await scim.api.delete(`/api/v1/users/${id}`).expect(204);
    await scim.api.delete(`/api/v1/deleted-users/${id}`).expect(204);
    const { data } = await get(`/events?target=${id}`);
    expect(data.map(({ data }: Body) => data)).toEqual(data.map(() => null));
  });
});
