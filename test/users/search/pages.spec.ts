import { UsersService } from '../../../src/users/users.service';
import { aUser, type UserBody } from '../../support/client';
import { fillOrganization } from '../../support/people';
import { find, names, walk } from '../../support/searches';
import { startService, type TestService } from '../../support/service';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })));
afterAll(() => service.close());

describe('GET /api/v1/users/search', () => {
  it('returns every match of every rank once, with any page size', async () => {
    const api = await service.client();
    const created = [];
    for (let i = 0; i < 40; i++) {
      const name = ['Anna Berg', 'Berg Anna', 'Hannah Zed', 'Joanna X', 'Peter Ann'][i % 5];
      created.push(await api.createUser({ name, email: `${i % 3 ? 'x' : 'ann'}${i}@x.example` }));
    }
    await api.createUser({ name: 'Nobody', email: 'zz@x.example' });
    const whole = await find(api, 'ann', '&limit=200');
    expect(new Set(whole.map(({ id }) => id))).toEqual(new Set(created.map(({ id }) => id)));
    for (const limit of [1, 7, 200]) expect(await walk(api, 'ann', limit)).toEqual(whole);
    const typos = await find(api, 'hanah', '&limit=200');
    expect(typos).toHaveLength(8);
    expect(await walk(api, 'hanah', 3)).toEqual(typos);
  });

  it.each([0, 2_100])(
    'compares the beginning of names without accents, that of emails with them, beside %d others',
    async (others) => {
      const api = await service.client();
      if (others > 0) await fillOrganization(service.dataSource, api.organizationId, 0, others);
      for (const [name, email] of [
        ['Zzoé Mint', 'm@x.example'],
        ['Uma Lind', 'zzoé.l@x.example'],
        ['Vic Kern', 'zzoe.k@x.example'],
      ])
        await api.createUser({ name, email });
      for (const [q, expected] of [
        ['zzoe', ['Vic Kern', 'Zzoé Mint', 'Uma Lind']],
        ['ZZOÉ', ['Uma Lind', 'Zzoé Mint', 'Vic Kern']],
      ] as const) {
        expect(await names(api, q)).toEqual(expected);
        expect((await walk(api, q, 1)).map(({ name }) => name)).toEqual(expected);
      }
    },
  );

  it('finds matches that are not among the first names, in the same order and pages', async () => {
    const api = await service.client();
    const users = service.app.get(UsersService);
    const create = (name: string, n: number) =>
      users.create(api.organizationId, { name, email: `n${n}@x.example` });
    for (let n = 0; n < 520; n++) await create(`Aaron Zimmer ${n}`, n);
    const late = ['Zed Quark', 'Zed Aquarky', 'Quark Zed', 'Zed Quarkson', 'Zora Uquark', 'Zora Ann Quark'];
    for (const [n, name] of late.entries()) await create(name, 1000 + n);

    const expected = [
      'Quark Zed',
      'Zed Quark',
      'Zed Quarkson',
      'Zora Ann Quark',
      'Zed Aquarky',
      'Zora Uquark',
    ];
    expect(await names(api, 'quark')).toEqual(expected);
    for (const limit of [1, 2, 5])
      expect((await walk(api, 'quark', limit)).map(({ name }) => name)).toEqual(expected);
    expect(await names(api, 'uark')).toEqual([
      'Quark Zed',
      'Zed Aquarky',
      'Zed Quark',
      'Zed Quarkson',
      'Zora Ann Quark',
      'Zora Uquark',
    ]);
    expect(await names(api, 'uq')).toEqual(['Zora Uquark']);
    expect(await names(api, 'zora quark')).toEqual(['Zora Ann Quark', 'Zora Uquark']);
    expect(await names(api, 'qaurkson')).toEqual(['Zed Quarkson']);
    expect(await names(api, 'zimmer', '&limit=3')).toHaveLength(3);
    expect(await walk(api, 'zimmer', 200)).toHaveLength(520);
  });

  it('finds text that is common in the sample but missing from the first thousands of names', async () => {
    const api = await service.client();
    await fillOrganization(service.dataSource, api.organizationId, 1, 6_000, (n) => ({
      name: n > 5997 ? `Zed Qua${n}rky` : 'Aaron',
      email: `n${n}@x.example`,
      metadata: {},
    }));
    const late = [5998, 5999, 6000].map((n) => `Zed Qua${n}rky`);
    for (const q of ['qua', 'rky', 'zed rky']) {
      expect(await names(api, q)).toEqual(late);
      expect((await walk(api, q, 3)).map(({ name }) => name)).toEqual(late);
      expect(await names(api, q, '&role=admin')).toEqual([]);
    }
  });

  it('finds everybody whose email begins alike, however many they are', async () => {
    const api = await service.client();
    await fillOrganization(service.dataSource, api.organizationId, 1, 5_000, (n) => ({
      name: `Name ${String((n * 2_647) % 5_000).padStart(4, '0')}`,
      email: `${n % 2 ? 'user' : n === 2_000 ? 'üser' : 'other'}${n}@x.example`,
    }));
    const found = await walk(api, 'user', 200);
    const sorted = found.map(({ name }) => name).sort();
    expect(found).toHaveLength(2_501);
    expect(new Set(found.map(({ id }) => id)).size).toBe(2_501);
    expect(found.slice(0, 2_500).map(({ name }) => name)).toEqual(
      sorted.filter((name) => name !== found[2_500].name),
    );
    expect(found[2_500].email).toBe('üser2000@x.example');
  });

  it('goes on after a page even if a user with the whole query as the email is created meanwhile', async () => {
    const api = await service.client();
    for (const name of ['Al', 'Bo']) await api.createUser({ name, email: `ann@corp.example.${name}` });
    const first = await api.get('/api/v1/users/search?q=ann@corp.example&limit=1').expect(200);
    expect(first.body.data.map(({ name }: UserBody) => name)).toEqual(['Al']);
    await api.createUser({ name: 'Exact', email: 'ann@corp.example' });
    const next = await api
      .get(`/api/v1/users/search?q=ann@corp.example&limit=5&cursor=${first.body.nextCursor}`)
      .expect(200);
    expect(next.body.data.map(({ name }: UserBody) => name)).toEqual(['Bo', 'Exact']);
    expect(await names(api, 'ann@corp.example')).toEqual(['Exact']);
  });

  it('goes on with typos, beside 2100 others', async () => {
    const api = await service.client();
    await fillOrganization(service.dataSource, api.organizationId, 0, 2_100, (n) => ({
      name: `Aaron ${n}`,
      email: `n${n}@x.example`,
      metadata: {},
    }));
    const expected = ['Quentin Xaverius', 'Quentin Zed', 'Al Quentin', 'Bo Quentin'];
    for (const [i, name] of expected.entries()) await api.createUser({ name, email: `q${i}@x.example` });
    for (const limit of [1, 3, 200])
      expect((await walk(api, 'quetnin', limit)).map(({ name }) => name)).toEqual(expected);
    expect(await names(api, 'quetnin bo')).toEqual(['Bo Quentin']);
    expect(await names(api, 'bo quetnni')).toEqual([]);
    expect(await names(api, 'bo quetnin', '&role=admin')).toEqual([]);
  });

  it('finds everybody once whose name begins with a misspelt word in two ways, however many they are', async () => {
    const api = await service.client();
    // "pete" and "peter" are one letter away from "petre".
    await fillOrganization(service.dataSource, api.organizationId, 0, 2_100, (n) => ({
      name: n < 60 ? `Peter Q${n}` : `Aaron ${n}`,
      email: `n${n}@x.example`,
      metadata: {},
    }));
    for (const limit of [7, 50, 200]) {
      const found = (await walk(api, 'petre', limit)).map(({ name }) => name);
      expect(found).toHaveLength(60);
      expect(new Set(found).size).toBe(60);
    }
  });

  it('refuses a cursor of another query, role, organization or of the user list', async () => {
    const [api, other] = [await service.client(), await service.client()];
    for (let i = 0; i < 3; i++) await api.post('/api/v1/users', aUser()).expect(201);
    const { nextCursor } = (await api.get('/api/v1/users/search?q=ada&limit=1').expect(200)).body;
    const list = (await api.get('/api/v1/users?limit=1').expect(200)).body.nextCursor;
    await api.get(`/api/v1/users/search?q=ada&limit=2&cursor=${nextCursor}`).expect(200);
    await api.get(`/api/v1/users/search?q=adam&cursor=${nextCursor}`).expect(400);
    await api.get(`/api/v1/users/search?q=ada&role=member&cursor=${nextCursor}`).expect(400);
    await api.get(`/api/v1/users/search?q=ada&active=true&cursor=${nextCursor}`).expect(400);
    await api.get(`/api/v1/users/search?q=ada&cursor=${list}`).expect(400);
    const { body: empty } = await api.get('/api/v1/users/search?q=ada&cursor=').expect(400);
    expect(empty.errors).toEqual([expect.objectContaining({ field: 'cursor', code: 'invalid' })]);
    await other.get(`/api/v1/users/search?q=ada&cursor=${nextCursor}`).expect(400);
  });
});
