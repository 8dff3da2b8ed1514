import { randomUUID } from 'node:crypto';
import { idsOf, RESTORE_PATH, useBatchDelete } from '../support/batch-delete';
import { deletedPath, pathOf } from '../support/deleted-users';
import { dumpOf } from '../support/dump';
import { directoryOf } from '../support/scim';

const { service, api, del, restore, people, eventsOf, counts } = useBatchDelete();

const NOBODY = 'usr_00000000000000000000000000';
const TAKEN = { code: 'taken', message: expect.any(String) };

/** Users who have been deleted. */
async function deleted(count: number, fieldsOf?: (n: number) => object) {
  const users = await people(count, fieldsOf);
  await del(idsOf(users)).expect(200);
  return users;
}

describe(`POST ${RESTORE_PATH}`, () => {
  it('restores users as single requests would, and says what became of each in their order', async () => {
    const users = await people(3, (n) => ({ name: `Zara ${n}`, externalId: `E-${n}`, metadata: { n } }));
    const before = (await api.get(pathOf(users[1])).expect(200)).body;
    await del(idsOf(users)).expect(200);
    const [ada, bob] = [users[1], users[0]];
    const { body } = await restore([
      { id: ada.id },
      { id: NOBODY },
      { id: bob.id },
      { id: ada.id },
      { id: 'x' },
      { id: 7 },
      { email: bob.email },
      { id: bob.id, email: bob.email },
      'x',
    ]).expect(200);
    const missing = { status: 404, version: null, code: 'not_found' };
    const wrong = {
      status: 400,
      id: null,
      version: null,
      code: 'validation_failed',
      errors: expect.any(Array),
    };
    expect(body).toEqual({
      results: [
        { index: 0, status: 200, id: ada.id, version: 2 },
        { index: 1, ...missing, id: NOBODY },
        { index: 2, status: 200, id: bob.id, version: 2 },
        { index: 3, ...missing, id: ada.id },
        { index: 4, ...missing, id: null },
        { index: 5, ...wrong },
        { index: 6, ...wrong },
        { index: 7, ...wrong },
        { index: 8, ...wrong },
      ],
      counts: { restored: 2, failed: 7 },
    });
    const { body: after } = await api.get(pathOf(ada)).expect(200);
    expect(after).toEqual({ ...before, version: 2, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(await eventsOf('user.restored')).toEqual([`restored ${ada.id}`, `restored ${bob.id}`]);
    const { body: events } = await api.get('/api/v1/events?type=user.restored').expect(200);
    expect(events.data[0].data).toEqual({ user: after });
    const { body: found } = await api.get('/api/v1/users/search?q=zara').expect(200);
    expect(found.data.map(({ id }: { id: string }) => id).sort()).toEqual([ada.id, bob.id].sort());
    await api.get(deletedPath(ada)).expect(404);
    expect(await counts()).toEqual([2, 1]);
  });

  it('refuses a user whose email, user name or external id is taken, and names it', async () => {
    const [ada, bob, eve] = await deleted(3, (n) => ({ email: `t-${n}@example.com`, externalId: `T-${n}` }));
    await api.createUser({ email: 'T-0@example.com' });
    await api.createUser({ externalId: 'T-1' });
    const scim = directoryOf(() => api);
    await scim
      .post('/Users', { userName: 't-2@example.com', emails: [{ value: 'other@example.com' }] })
      .expect(201);
    const { body } = await restore(idsOf([ada, bob, eve])).expect(200);
    const conflict = { status: 409, version: null, code: 'conflict' };
    expect(body.results).toEqual([
      { index: 0, id: ada.id, ...conflict, errors: [{ field: 'email', ...TAKEN }] },
      { index: 1, id: bob.id, ...conflict, errors: [{ field: 'externalId', ...TAKEN }] },
      { index: 2, id: eve.id, ...conflict, errors: [{ field: 'email', ...TAKEN }] },
    ]);
    expect(body.results[2].errors[0].message).toContain('user name');
    expect(body.counts).toEqual({ restored: 0, failed: 3 });
    const { body: atomic } = await restore(idsOf([ada, bob]), { atomic: true }).expect(409);
    expect(atomic).toMatchObject({
      code: 'conflict',
      errors: [{ field: 'users.0.email' }, { field: 'users.1.externalId' }],
    });
  });

  it('gives an email that two of them had to the first', async () => {
    const [first] = await deleted(1, () => ({ email: 'same@example.com' }));
    const [second] = await deleted(1, () => ({ email: 'SAME@example.com' }));
    const { body } = await restore(idsOf([second, first])).expect(200);
    expect(body.results).toMatchObject([
      { status: 200, id: second.id },
      { status: 409, id: first.id, errors: [{ field: 'email', code: 'taken' }] },
    ]);
  });

  it('brings them back into their groups, and to the filters of a directory', async () => {
    const scim = directoryOf(() => api);
    const users: { id: string }[] = [];
    for (let n = 0; n < 3; n++) {
      const emails = [{ value: `${n}@example.com` }];
      users.push((await scim.post('/Users', { userName: `u${n}`, title: 'Engineer', emails })).body);
    }
    const members = users.map(({ id }) => ({ value: id }));
    const { id } = (await scim.post('/Groups', { displayName: 'Sales', members })).body;
    const sizeOf = async () => (await api.get(`/api/v1/groups/${id}`).expect(200)).body.memberCount;
    await del(idsOf(users)).expect(200);
    expect(await sizeOf()).toBe(0);
    await restore(idsOf(users.slice(1))).expect(200);
    expect(await sizeOf()).toBe(2);
    const { body } = await api.get(`/api/v1/users?group=${id}`).expect(200);
    expect(body.data).toHaveLength(2);
    const { Resources } = await scim.find('/Users', 'userName eq "u1"');
    expect(Resources).toMatchObject([{ id: users[1].id, title: 'Engineer' }]);
  });

  it('refuses an envelope that is wrong, and If-Match, which would protect nothing', async () => {
    for (const [body, ...faults] of [
      [{}, 'users required'],
      [{ users: [] }, 'users too_short'],
      [{ users: [{ id: NOBODY }], by: 'id' }, 'by unknown'],
    ] as [object, ...string[]][]) {
      const { body: error } = await api.post(RESTORE_PATH, body).expect(400);
      const shown = error.errors.map((fault: Record<string, string>) => `${fault.field} ${fault.code}`);
      expect([body, shown]).toEqual([body, faults]);
    }
    const { body } = await restore([{ id: NOBODY }])
      .set('If-Match', '"1"')
      .expect(400);
    expect(body.errors).toMatchObject([{ field: 'If-Match', code: 'invalid' }]);
  });

  it('needs the scope users:write, and restores nobody of another organization', async () => {
    const [ada] = await deleted(1);
    const other = await service.client();
    expect((await restore(idsOf([ada]), {}, other).expect(200)).body.counts).toEqual({
      restored: 0,
      failed: 1,
    });
    const { organizationId } = api;
    const deleter = await service.client({ scopes: ['users:delete', 'users:read'], organizationId });
    await restore(idsOf([ada]), {}, deleter).expect(403);
  });

  it('restores all or nobody if it is atomic, and writes nothing in a dry run', async () => {
    const users = await deleted(3);
    const elements = [...idsOf(users), { id: NOBODY }, { id: users[0].id }];
    const before = await dumpOf(service.dataSource);
    const { body } = await restore(elements, { atomic: true }).expect(400);
    expect(body.errors).toMatchObject([
      { field: 'users.3', code: 'not_found' },
      { field: 'users.4', code: 'not_found' },
    ]);
    const dry = await restore(elements, { dryRun: true }).expect(200);
    expect(await dumpOf(service.dataSource)).toEqual(before);
    expect((await restore(elements).expect(200)).body).toEqual(dry.body);
    expect(await counts()).toEqual([3, 0]);
  });

  it('is done once with an Idempotency-Key, and answered the same', async () => {
    const users = await deleted(2);
    const key = randomUUID();
    const send = () => restore(idsOf(users)).set('Idempotency-Key', key).expect(200);
    const first = await send();
    await del(idsOf(users)).expect(200);
    const again = await send();
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await counts()).toEqual([0, 2]);
  });
});

it('500 users with as much metadata as they may have are deleted and restored', async () => {
  const metadata = { text: 'é'.repeat(7_000) };
  const ids: { id: string }[] = [];
  for (let n = 0; n < 10; n++) ids.push(...idsOf(await people(50, () => ({ metadata }))));
  expect((await del(ids).expect(200)).body.counts).toEqual({ deleted: 500, failed: 0 });
  expect((await restore(ids).expect(200)).body.counts).toEqual({ restored: 500, failed: 0 });
  const { body } = await api.get(pathOf(ids[499])).expect(200);
  expect(body).toMatchObject({ metadata, version: 2 });
});
