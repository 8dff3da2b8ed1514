import { eventsOf, useBatch, usersOf } from '../support/batch';
import { aUser } from '../support/client';

const { api, post } = useBatch();

const NOBODY = 'usr_00000000000000000000000000';
const failed = (index: number, status: number, code: string) => ({
  index,
  status,
  id: null,
  version: null,
  code,
});
const fieldsOf = ({ errors }: { errors: { field: string; code: string }[] }) =>
  errors.map(({ field, code }) => `${field} ${code}`);

describe('a batch with the mode update', () => {
  it('changes users who are there, by each identity, and creates nobody', async () => {
    const [ada, bob, eve] = await Promise.all(
      ['1', '2', '3'].map((externalId) => api.createUser({ externalId })),
    );
    const renamed = { ...aUser(), externalId: '2' };
    for (const [by, user, element] of [
      ['email', ada, { email: ada.email.toUpperCase(), role: 'admin' }],
      ['externalId', bob, renamed],
      ['id', eve, { id: eve.id, email: `new-${eve.email}`, externalId: null, active: false }],
    ] as const) {
      const nobody = { ...aUser(), externalId: 'none', id: NOBODY };
      const { body } = await post([{ ...element }, { ...nobody, ...(by !== 'id' && { id: undefined }) }], {
        mode: 'update',
        by,
      }).expect(200);
      expect([by, body]).toEqual([
        by,
        {
          results: [{ index: 0, status: 200, id: user.id, version: 2 }, failed(1, 404, 'not_found')],
          counts: { created: 0, updated: 1, unchanged: 0, failed: 1 },
        },
      ]);
      const { email = user.email } = element;
      const { body: now } = await api.get(`/api/v1/users/${user.id}`).expect(200);
      expect(now).toMatchObject({ ...element, email, id: user.id });
    }
    expect(await usersOf(api)).toHaveLength(3);
    expect((await eventsOf(api)).map(({ type }: { type: string }) => type)).toEqual([
      ...Array.from({ length: 3 }, () => 'user.created'),
      ...Array.from({ length: 3 }, () => 'user.updated'),
    ]);
  });

  it('judges an element before it looks for the user, and names who is missing in an atomic batch', async () => {
    const ada = await api.createUser();
    const elements = [{ id: ada.id, role: 'viewer' }, { id: NOBODY }, { id: NOBODY, name: '' }];
    const { body } = await post(elements, { mode: 'update', by: 'id' }).expect(200);
    expect(body.results[1]).toEqual(failed(1, 404, 'not_found'));
    expect(body.results[2]).toMatchObject(failed(2, 400, 'validation_failed'));
    const { body: atomic } = await post([{ id: ada.id, role: 'admin' }, { id: NOBODY }], {
      ...{ mode: 'update', by: 'id', atomic: true },
    }).expect(400);
    expect(fieldsOf(atomic)).toEqual(['users.1 not_found']);
    await api.get(`/api/v1/users/${ada.id}`).expect(200, /"viewer"/);
  });

  it('needs the identity of each element, and takes it once', async () => {
    const { id } = await api.createUser();
    const elements = [
      { id },
      { id, role: 'admin' },
      {},
      { id: null },
      { id: 'usr_1' },
      { id: [id] },
      { id: ` ${id}` },
    ];
    const { body } = await post(elements, { mode: 'update', by: 'id' }).expect(200);
    const faults = body.results.slice(1).map((result: never) => [result['status'], ...fieldsOf(result)]);
    expect(faults).toEqual([
      [409, 'id taken'],
      [400, 'id required'],
      ...Array.from({ length: 4 }, () => [400, 'id invalid']),
    ]);
    for (const by of ['email', 'externalId']) {
      const { body } = await post([{ name: 'Ada' }, { id, [by]: 'a@example.com' }], {
        mode: 'update',
        by,
      }).expect(200);
      expect(body.results.map(fieldsOf)).toEqual([[`${by} required`], ['id immutable']]);
    }
  });

  it('takes "by" and "merge" only with a mode that changes users, and by id only in an update', async () => {
    for (const [envelope, faults] of [
      [{ by: 'id' }, ['by invalid']],
      [{ mode: 'create', by: 'email' }, ['by invalid']],
      [{ mode: 'upsert', by: 'id' }, ['by invalid']],
      [{ mode: 'update', by: 'name' }, ['by invalid']],
      [{ mode: 'replace' }, ['mode invalid']],
      [{ merge: true }, ['merge invalid']],
      [{ mode: 'upsert', merge: 'yes' }, ['merge invalid']],
      [{ mode: 'upsert', merge: null }, ['merge invalid']],
    ] as const) {
      const { body } = await post([aUser()], envelope).expect(400);
      expect([envelope, fieldsOf(body)]).toEqual([envelope, faults]);
    }
  });
});

describe('a batch with "merge"', () => {
  it('merges metadata into that of the user, and into {} for a new one', async () => {
    const ada = await api.createUser({ metadata: { plan: 'pro', seats: 5, unit: { a: 1 } } });
    const changes = { plan: 'free', seats: null, unit: { a: null, b: 2 }, none: null };
    const elements = [{ email: ada.email, metadata: changes }, aUser({ metadata: changes }), aUser()];
    const { body } = await post(elements, { mode: 'upsert', merge: true }).expect(200);
    expect(body.counts).toEqual({ created: 2, updated: 1, unchanged: 0, failed: 0 });
    const metadata = async (n: number) =>
      (await api.get(`/api/v1/users/${body.results[n].id}`).expect(200)).body.metadata;
    expect([await metadata(0), await metadata(1), await metadata(2)]).toEqual([
      { plan: 'free', unit: { b: 2 } },
      { plan: 'free', unit: { b: 2 } },
      {},
    ]);
    const same = [{ id: ada.id, metadata: { plan: 'free', none: null } }];
    const { body: again } = await post(same, { mode: 'update', by: 'id', merge: true }).expect(200);
    expect(again.counts.unchanged).toBe(1);
  });

  it('judges the result, not the patch', async () => {
    const keys = (count: number, prefix: string, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value]));
    const full = await api.createUser({ metadata: keys(16, 'k', 1) });
    const others = { ...keys(16, 'k', null), ...keys(16, 'n', 1) };
    const elements = [
      { email: full.email, metadata: { one: 'more' } },
      aUser({ metadata: keys(17, 'k', 1) }),
      aUser({ metadata: { a: { ...keys(4, 'k', 'x'.repeat(4096)) } } }),
      aUser({ metadata: others }),
      { email: full.email, metadata: others },
    ];
    const { body } = await post(elements, { mode: 'upsert', merge: true }).expect(200);
    expect(body.results.slice(0, 3).map(fieldsOf)).toEqual([
      ['metadata too_many'],
      ['metadata too_many'],
      ['metadata too_long'],
    ]);
    expect(body.results.slice(3).map(({ status }: { status: number }) => status)).toEqual([201, 200]);
  });
});
