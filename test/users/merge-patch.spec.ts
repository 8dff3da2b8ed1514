import { UsersService } from '../../src/users/users.service';
import { nested } from '../support/hostile';
import type { UserBody } from '../support/client';
import { pathOf } from '../support/deleted-users';
import { createClient } from '../../client/index';
import { useApi } from '../support/service';

const MERGE_PATCH = 'application/merge-patch+json';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '100000' });

/** Sends a merge patch, an object or JSON text. */
const merge = (user: { id: string }, patch: object | string, type = MERGE_PATCH) =>
  api
    .patch(pathOf(user))
    .set('Content-Type', type)
    .send(typeof patch === 'string' ? patch : JSON.stringify(patch));

const withMetadata = (metadata: object) => api.createUser({ metadata });
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const keys = (count: number, prefix = 'k', value: unknown = 1) =>
  Object.fromEntries(upTo(count).map((i) => [`${prefix}${i}`, value]));
const faultsIn = ({ errors }: { errors: { field: string; code: string }[] }) =>
  errors.map(({ field, code }) => `${field} ${code}`);

describe('a merge patch', () => {
  it('merges as the examples of RFC 7396, appendix A, do, as far as both sides are objects', async () => {
    for (const [metadata, patch, merged] of [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
      [{ a: 1 }, { a: { b: null, c: 2 } }, { a: { c: 2 } }],
      [{ a: { b: 1 } }, { a: 7 }, { a: 7 }],
      [{ a: 1 }, { a: [null, { b: null }] }, { a: [null, { b: null }] }],
      [{ a: { b: { c: 1, d: 2 }, e: 3 } }, { a: { b: { c: null } } }, { a: { b: { d: 2 }, e: 3 } }],
    ]) {
      const user = await withMetadata(metadata);
      const { body, headers } = await merge(user, { metadata: patch }).expect(200);
      const { updatedAt } = body;
      expect([patch, body]).toEqual([patch, { ...user, metadata: merged, version: 2, updatedAt }]);
      expect(headers.etag).toBe('"2"');
      await api.get(pathOf(user)).expect(200, body);
    }
  });

  it('changes other fields as JSON does, and those that are absent not at all', async () => {
    const user = await withMetadata({ plan: 'pro', seats: 5 });
    const { body } = await merge(user, { name: ' Ada ', role: 'admin', metadata: { seats: 6 } }).expect(200);
    expect(body).toMatchObject({ name: 'Ada', role: 'admin', email: user.email });
    expect(body.metadata).toEqual({ plan: 'pro', seats: 6 });
    const { body: other } = await merge(user, { active: false }).expect(200);
    expect(other).toMatchObject({ active: false, metadata: { plan: 'pro', seats: 6 }, version: 3 });
  });

  it('is accepted with a charset and in any letter case, and JSON still replaces the metadata', async () => {
    const user = await withMetadata({ a: 1 });
    const type = 'Application/Merge-Patch+JSON; charset=utf-8';
    const { body } = await merge(user, { metadata: { b: 2 } }, type).expect(200);
    expect(body.metadata).toEqual({ a: 1, b: 2 });
    const { body: replaced } = await api.patch(pathOf(user), { metadata: { c: null } }).expect(200);
    expect(replaced.metadata).toEqual({ c: null });
  });

  it('that leaves everything as it was changes nothing', async () => {
    const user = await withMetadata({ plan: 'pro', limits: { a: 1, b: [null] } });
    for (const patch of [
      {},
      { metadata: {} },
      { metadata: { gone: null } },
      { metadata: { limits: { c: null } } },
      { metadata: { limits: { b: [null], a: 1 }, plan: 'pro' } },
      { name: user.name, metadata: { limits: {} } },
    ]) {
      const { body, headers } = await merge(user, patch).expect(200);
      expect([body, headers.etag]).toEqual([user, '"1"']);
    }
    const { body } = await api.get(`/api/v1/events?target=${user.id}`).expect(200);
    expect(body.data).toHaveLength(1);
  });

  it('has an event with the former metadata, and is found by the search at once', async () => {
    const user = await withMetadata({ city: 'Zwickau', team: 'Xylophone' });
    const find = async (q: string) =>
      (await api.get(`/api/v1/users/search?q=${q}`).expect(200)).body.data.map(({ id }: UserBody) => id);
    await merge(user, { metadata: { city: null } }).expect(200);
    const { body } = await api.get(`/api/v1/events?target=${user.id}&type=user.updated`).expect(200);
    const [{ source, data }] = body.data;
    expect([source, data.user.metadata, data.previous]).toEqual([
      'api',
      { team: 'Xylophone' },
      { metadata: user.metadata },
    ]);
    expect([await find('xylophone'), await find('zwickau')]).toEqual([[user.id], []]);
  });

  it('meets conditions and a missing user as other changes do', async () => {
    const user = await withMetadata({ a: 1 });
    await merge(user, { metadata: { a: 2 } })
      .set('If-Match', '"7"')
      .expect(412);
    await merge(user, { metadata: { a: 2 } })
      .set('If-Match', '"1"')
      .expect(200);
    await merge({ id: 'usr_00000000000000000000000000' }, { metadata: { a: 2 } }).expect(404);
    const other = await api.createUser();
    const { body } = await merge(user, { email: other.email, metadata: { a: 3 } }).expect(409);
    expect(faultsIn(body)).toEqual(['email taken']);
    expect((await api.get(pathOf(user)).expect(200)).body.metadata).toEqual({ a: 2 });
  });
});

describe('the limits of metadata', () => {
  const full = keys(16);

  it('hold for the result', async () => {
    const user = await withMetadata({ ...full });
    const refused = async (patch: object, faults: string[]) => {
      const { body } = await merge(user, { metadata: patch }).expect(400);
      expect(faultsIn(body)).toEqual(faults);
    };
    await refused({ one: 1 }, ['metadata too_many']);
    await refused({ k0: null, ['k'.repeat(65)]: 1 }, [`metadata.${'k'.repeat(64)}… too_long`]);
    await refused({ k0: null, '': 1 }, ['metadata. too_short']);
    await refused({ k0: 'x'.repeat(16 * 1024) }, ['metadata too_long']);
    await refused({ k0: upTo(990) }, ['metadata too_many']);
    const { body: both } = await merge(user, { email: 'nobody', metadata: { k0: null, '': 1 } }).expect(400);
    expect(faultsIn(both)).toEqual(['metadata. too_short', 'email invalid']);
    const { body } = await api.get(pathOf(user)).expect(200);
    expect(body).toEqual(user);
  });

  it('do not count what a patch removes', async () => {
    const user = await withMetadata({ ...full });
    const patch = { ...keys(16, 'k', null), ...keys(16, 'n') };
    const { body } = await merge(user, { metadata: patch }).expect(200);
    expect(body.metadata).toEqual(keys(16, 'n'));
    const large = await withMetadata({ a: keys(990, 'k', 1), b: 'x'.repeat(2_000) });
    const { body: next } = await merge(large, {
      metadata: { a: { ...keys(990, 'k', null), ...keys(990, 'n') } },
    }).expect(200);
    expect(next.metadata.a).toEqual(keys(990, 'n'));
    const { body: none } = await merge(large, { metadata: { absent: null } }).expect(200);
    expect(none).toEqual(next);
  });

  it('are no reason to refuse a patch that changes nothing of what is beyond them', async () => {
    const user = await withMetadata({});
    await service.dataSource.query('UPDATE users SET metadata = $2 WHERE id = $1', [
      user.id,
      JSON.stringify(keys(17)),
    ]);
    await merge(user, { role: 'admin', metadata: { gone: null } }).expect(200);
    await merge(user, { metadata: { k0: 2 } }).expect(400);
    await merge(user, { metadata: { k0: null } }).expect(200);
  });
});

describe('what a body may not have', () => {
  it('is refused, and its fields are named', async () => {
    const user = await withMetadata({ a: 1 });
    for (const [body, ...faults] of [
      ['{"metadata":null}', 'metadata invalid'],
      ['{"name":null,"email":null,"role":null,"active":null}', 'name', 'email', 'role', 'active'],
      [
        '{"id":"usr_1","version":null,"createdAt":1,"updatedAt":1}',
        'id',
        'version',
        'createdAt',
        'updatedAt',
      ],
      ['{"metadata":{"__proto__":null}}', 'metadata.__proto__ invalid'],
      ['{"metadata":{"a":{"constructor":null}}}', 'metadata.a.constructor invalid'],
      ['{"metadata":{"a":1e999}}', 'metadata.a invalid'],
    ]) {
      const response = await merge(user, body).expect(400);
      const found = faultsIn(response.body).map((fault, i) => fault.slice(0, faults[i]?.length));
      expect([body, ...found]).toEqual([body, ...faults]);
    }
    await api.get(pathOf(user)).expect(200, user);
  });

  it('is refused beyond the depth, the values and the size', async () => {
    const user = await withMetadata({ a: 1 });
    await merge(user, { metadata: nested(8) as object }).expect(200);
    await merge(user, { metadata: nested(9) as object }).expect(400);
    const many = await merge(user, { metadata: { a: keys(2_001, 'k', null) } }).expect(400);
    expect(faultsIn(many.body)).toEqual(['metadata too_many']);
    await merge(user, { metadata: { a: 'x'.repeat(64 * 1024) } }).expect(413);
    const { body } = await merge(user, '{"metadata":').expect(400);
    expect(body.code).toBe('malformed_json');
    await merge(user, '').expect(400);
  });

  it('is a merge patch on any other route', async () => {
    const user = await api.createUser();
    for (const [method, to] of [
      ['post', '/api/v1/users'],
      ['post', '/api/v1/users/batch'],
      ['post', '/v1/tokens'],
      ['patch', '/scim/v2/Users/' + user.id],
    ] as const)
      await api.send(method, to).set('Content-Type', MERGE_PATCH).send('{}').expect(415);
    const { body } = await merge(user, '{}', 'application/json-patch+json').expect(415);
    expect(body.detail).toContain('application/json or application/merge-patch+json');
    await merge(user, '{}', `${MERGE_PATCH}; charset=utf-16`).expect(415);
    await merge(user, '{}').set('Content-Encoding', 'gzip').expect(415);
  });
});

describe('callers who change different keys at once', () => {
  it('all keep their change: thirty of thirty', async () => {
    const user = await withMetadata({ kept: true, settings: {} });
    await Promise.all(
      upTo(30).map((i) => merge(user, { metadata: { settings: { [`key-${i}`]: i } } }).expect(200)),
    );
    const { body } = await api.get(pathOf(user)).expect(200);
    expect(body.metadata).toEqual({
      kept: true,
      settings: Object.fromEntries(upTo(30).map((i) => [`key-${i}`, i])),
    });
    expect(body.version).toBe(31);
  });

  it('keep it on several replicas, too, and no more keys than are permitted', async () => {
    const user = await withMetadata({});
    const users = service.app.get(UsersService);
    // Instances have queues of their own, as replicas have.
    const replicas = upTo(3).map(
      () =>
        new UsersService(
          users['database'],
          users['idempotencyKeys'],
          users['purges'],
          users['lifecycle'],
          users['memberships'],
          users['directory'],
          users['batchDeletes'],
        ),
    );
    const results = await Promise.allSettled(
      upTo(30).map((i) =>
        replicas[i % 3].merge(api.organizationId, user.id, { metadata: { [`key-${i}`]: i } }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    const { body } = await api.get(pathOf(user)).expect(200);
    expect([Object.keys(body.metadata).length, body.version]).toEqual([16, 17]);
  });
});

describe('in programs', () => {
  it('the service of a host merges, without undefined, and with its precondition', async () => {
    const user = await withMetadata({ a: 1, b: { c: 2 } });
    const users = service.app.get(UsersService);
    const { organizationId } = api;
    const merged = await users.merge(organizationId, user.id, {
      role: undefined,
      metadata: { a: undefined, b: { c: null, d: 3 } },
    });
    expect(merged).toMatchObject({ metadata: { a: 1, b: { d: 3 } }, role: 'member', version: 2 });
    const refuse = () => {
      throw new Error('refused');
    };
    await expect(users.merge(organizationId, user.id, { metadata: { a: 2 } }, refuse)).rejects.toThrow(
      'refused',
    );
    await expect(users.merge(organizationId, user.id, { name: null } as never)).rejects.toMatchObject({
      status: 400,
    });
  });

  it('the client merges with an option', async () => {
    const user = await api.createUser({ externalId: 'E-1', metadata: { plan: 'pro', trial: true } });
    const { users } = createClient({ baseUrl: service.url, token: api.tokenValue });
    const changes = { externalId: null, metadata: { trial: null, seats: 5 } };
    const merged = await users.update(user.id, changes, { merge: true, ifMatch: 1 });
    expect(merged).toMatchObject({ externalId: null, metadata: { plan: 'pro', seats: 5 }, version: 2 });
    await expect(users.update(user.id, changes, { merge: true, ifMatch: 1 })).rejects.toMatchObject({
      status: 412,
    });
    expect((await users.update(user.id, { metadata: { a: 1 } })).metadata).toEqual({ a: 1 });
  });
});
