import { UsersService } from '../../src/users/users.service';
import type { Body } from '../support/scim';
import { useApi } from '../support/service';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '100000' });

const NOBODY = 'usr_00000000000000000000000000';
const createAll = (count: number, fields: object = {}) =>
  Promise.all(Array.from({ length: count }, (_, n) => api.createUser({ name: `User ${n}`, ...fields })));
const idsIn = ({ data }: Body): string[] => data.map(({ id }: Body) => id);
const list = async (query: string): Promise<Body> =>
  (await api.get(`/api/v1/users?${query}`).expect(200)).body;

describe('id', () => {
  it('finds the users who are there, each once, in the order of the list and page by page', async () => {
    const users = await createAll(5);
    const ids = users.map(({ id }) => id);
    const query = `sort=name&id=${[ids[3], NOBODY, ids[1], ids[3], ids[4]].join()}`;
    const [one, three, four] = [ids[1], ids[3], ids[4]];
    expect(idsIn(await list(query))).toEqual([one, three, four]);
    const first = await list(`${query}&limit=2`);
    expect(idsIn(first)).toEqual([one, three]);
    // The same ids, written in another way, are the same list; others are another one.
    const same = `sort=name&limit=2&id=${[four, three, one, NOBODY].join()}&cursor=${first.nextCursor}`;
    expect(idsIn(await list(same))).toEqual([four]);
    await api.get(`/api/v1/users?sort=name&id=${one}&cursor=${first.nextCursor}`).expect(400);
    expect(idsIn(await list(`id=${NOBODY}`))).toEqual([]);
  });

  it('finds nobody of another organization, and those alone who pass the other filters', async () => {
    const [viewer] = await createAll(1, { role: 'viewer' });
    const [member] = await createAll(1);
    const query = `id=${viewer.id},${member.id}`;
    expect(idsIn(await list(`${query}&role=viewer`))).toEqual([viewer.id]);
    expect(idsIn(await list(`${query}&email=${member.email}`))).toEqual([member.id]);
    expect(idsIn(await list(`${query}&externalId=x`))).toEqual([]);
    const other = await service.client();
    expect((await other.get(`/api/v1/users?${query}`).expect(200)).body.data).toEqual([]);
  });

  it('refuses more than 200, and what is no id of a user', async () => {
    const faults = async (id: string) => {
      const { body } = await api.get(`/api/v1/users?id=${id}`).expect(400);
      return body.errors.map(({ field, code }: Body) => `${field} ${code}`);
    };
    const ids = (count: number) => Array.from({ length: count }, () => NOBODY).join();
    await list(`id=${ids(200)}`);
    expect(await faults(ids(201))).toEqual(['id too_many']);
    for (const id of [
      '',
      'usr_1',
      `${NOBODY},`,
      ` ${NOBODY}`,
      NOBODY.replace('usr', 'tok'),
      `${NOBODY}&id=${NOBODY}`,
    ])
      expect([id, await faults(id)]).toEqual([id, ['id invalid']]);
  });

  it('is users.byIds() in a program, in the order of the ids, however long the users are', async () => {
    const users = await createAll(120, { metadata: { text: 'x'.repeat(16_000) } });
    const wanted = users.map(({ id }) => id).reverse();
    const service_ = service.app.get(UsersService);
    const found = await service_.byIds(api.organizationId, [wanted[0], NOBODY, ...wanted]);
    expect(found.map(({ id }) => id)).toEqual(wanted);
    expect(await service_.byIds(api.organizationId, [])).toEqual([]);
    for (const ids of [['usr_1'], Array.from({ length: 201 }, () => NOBODY)])
      await expect(service_.byIds(api.organizationId, ids)).rejects.toMatchObject({ status: 400 });
  });
});

describe('role', () => {
  it('may be several, in a list and in a search, whose cursors do not depend on how they are written', async () => {
    const [member, admin, viewer] = await Promise.all(
      ['member', 'admin', 'viewer'].map((role) => api.createUser({ role, name: `Ada ${role}` })),
    );
    for (const path of ['/api/v1/users?', '/api/v1/users/search?q=ada&']) {
      const get = async (query: string) => (await api.get(path + query).expect(200)).body;
      const sorted = async (query: string) => idsIn(await get(query)).sort();
      expect(await sorted('role=viewer,admin')).toEqual([admin.id, viewer.id].sort());
      expect(await sorted('role=viewer,viewer')).toEqual([viewer.id]);
      expect(await sorted('role=member,admin,viewer&active=true')).toEqual(
        [member, admin, viewer].map(({ id }) => id).sort(),
      );
      const first = await get('role=viewer,admin&limit=1');
      const second = await get(`role=admin,viewer,admin&limit=1&cursor=${first.nextCursor}`);
      expect([...idsIn(first), ...idsIn(second)].sort()).toEqual([admin.id, viewer.id].sort());
      for (const role of ['', 'owner', 'member,', 'member,owner', 'member&role=admin']) {
        const { body } = await api.get(`${path}role=${role}`).expect(400);
        expect(body.errors).toMatchObject([{ field: 'role', code: 'invalid' }]);
      }
    }
    const one = await service.app.get(UsersService).list(api.organizationId, { role: 'viewer' });
    expect(idsIn(one)).toEqual([viewer.id]);
  });
});
