import { Readable } from 'node:stream';
import document from '../../openapi.json';
import { exportTexts, userPages } from '../../src/entry/cli/export';
import { readCsv } from '../../src/entry/cli/import/csv-file';
import { Database } from '../../src/platform/database/database';
import { USER_FIELDS, WRITABLE_FIELDS } from '../../src/users/user/user.entity';
import { deletedPath, pathOf, restorePath, useDeletedUsers } from '../support/deleted-users';

const { service, api, listOf, found, eventsOf } = useDeletedUsers();

const { CreateUser, User } = document.components.schemas;

/** A value of every field that callers may set, none of which is a default. A new field has the example of its DTO. */
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
  expect(Object.keys(User.properties)).toEqual([...USER_FIELDS]);
});

it.each<[string, () => Promise<unknown>]>([
  ['POST', create],
  ['PATCH', async () => api.patch(pathOf(await api.createUser(minimal)), FIELDS).expect(200)],
  ['a new user of a batch', () => batch([FIELDS])],
  [
    'a changed user of a batch',
    async () => {
      await api.createUser(minimal);
      await batch([FIELDS]);
    },
  ],
  [
    'a batch that changes another field',
    async () => {
      await api.createUser({ ...FIELDS, name: 'Former' });
      await batch([{ name: FIELDS.name, email: FIELDS.email }]);
    },
  ],
  [
    'DELETE and a restore',
    async () => {
      const user = await create();
      await api.delete(pathOf(user)).expect(204);
      await api.post(restorePath(user)).expect(200);
    },
  ],
  ['an export and an import', async () => exportAndImport(await create())],
])('%s writes every field', async (_way, write) => {
  await write();
  expect(await written()).toMatchObject(FIELDS);
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
