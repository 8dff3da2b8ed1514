import fc from 'fast-check';
import type { Client, UserBody } from '../../support/client';
import { describeOn } from '../../support/engine';
import { fillOrganization } from '../../support/people';
import { find, names } from '../../support/searches';
import { startService, type TestService } from '../../support/service';
import { until } from '../../support/until';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })));
afterAll(() => service.close());

describeOn('postgres', 'a search of many users whose connection breaks between two statements', () => {
  it('is repeated on another connection', async () => {
    const api = await service.client();
    const { dataSource } = service;
    await fillOrganization(dataSource, api.organizationId, 0, 2_100, (n) => ({
      name: `Somebody ${n}`,
      metadata: {},
    }));
    await api.createUser({ name: 'Ada Lovelace' });
    const create = dataSource.createQueryRunner.bind(dataSource);
    let broken = false;
    const runners = jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
      const runner = create(mode);
      const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<never>;
      runner.query = async (sql: string, ...rest: unknown[]) => {
        if (!broken && sql.startsWith('SELECT set_config')) {
          broken = true;
          const [{ pid }] = (await query('SELECT pg_backend_pid() AS pid')) as { pid: number }[];
          await dataSource.query('SELECT pg_terminate_backend($1::int)', [pid]);
          await until(() => runner.isReleased, 5);
        }
        return query(sql, ...rest);
      };
      return runner;
    });
    try {
      expect(await names(api, 'lovelace')).toEqual(['Ada Lovelace']);
      expect(broken).toBe(true);
    } finally {
      runners.mockRestore();
    }
  });
});

describe('GET /api/v1/users/search', () => {
  describe('ranks', () => {
    let api: Client;
    let ada: UserBody;
    beforeAll(async () => {
      api = await service.client();
      for (const [name, email, metadata] of [
        ['Mara Ann Smith', 'mara@x.example', {}],
        ['Ann Smith', 'a.smith@x.example', {}],
        ['Zoe Annison', 'zoe@x.example', {}],
        ['Bob Stone', 'ann@x.example', {}],
        ['Joanna Brown', 'jo@x.example', {}],
        [
          'Cleo Marsh',
          'cleo@x.example',
          { team: 'Annex', tags: ['blue', { deep: 'Lapis Lazuli' }], n: 4711 },
        ],
        ['John Smith', 'john.smith@x.example', {}],
        ['Dan Mannheim', 'dan@x.example', {}],
      ] as const) {
        await api.createUser({ name, email, metadata });
      }
      await api.createUser({ name: 'Ada Lovelace', email: 'ada@lovelace.example' });
      ada = (await api.get('/api/v1/users?email=ada@lovelace.example').expect(200)).body.data[0];
    });

    it.each([
      // Names and emails that begin with q, then words that begin with q, then words that contain q; each by name.
      [
        'ann',
        [
          'Ann Smith',
          'Bob Stone',
          'Cleo Marsh',
          'Mara Ann Smith',
          'Zoe Annison',
          'Dan Mannheim',
          'Joanna Brown',
        ],
      ],
      ['ann@x.example', ['Bob Stone']],
      ['ANN@X.EXAMPLE', ['Bob Stone']],
      ['smith', ['Ann Smith', 'John Smith', 'Mara Ann Smith']],
      ['ann smith', ['Ann Smith', 'Mara Ann Smith']],
      ['smith ann', ['Ann Smith', 'Mara Ann Smith']],
      ['smith nni', []],
      ['mar smi', ['Mara Ann Smith']],
      ['hn sm', []], // one or two letters only at the start of a word
      ['jo sm', ['John Smith']],
      ['ohn mit', ['John Smith']],
      ['john.smith', ['John Smith']],
      ['lovelace.ex', ['Ada Lovelace']],
      ['lapis', ['Cleo Marsh']],
      ['blue lazuli', ['Cleo Marsh']],
      ['4711', []], // only string values are searched, not numbers
      ['team', []], // nor keys
      ['jonh smtih', ['John Smith']],
      ['jhon', ['John Smith']],
      ['smiht', ['Ann Smith', 'John Smith', 'Mara Ann Smith']],
      ['anm', []], // too short for a typo
      ['nobody at all', []],
    ])('%j: %j', async (q, expected) => {
      expect(await names(api, q)).toEqual(expected);
    });

    it('ends with the user whose email or id it is', async () => {
      const other = await service.client();
      await other.createUser({
        name: 'a@b.example and more',
        email: 'a@b.example.org',
        metadata: { of: ada.id },
      });
      expect(await names(other, 'a@b.example')).toEqual(['a@b.example and more']);
      await other.createUser({ name: 'Zed', email: 'a@b.example' });
      for (const q of ['a@b.example', 'A@B.Example']) expect(await names(other, q)).toEqual(['Zed']);
      expect(await names(other, 'a@b.example', '&role=admin')).toEqual([]);
      expect(await names(other, 'a@b.example', '&active=false')).toEqual([]);
      expect(await find(api, ada.id)).toEqual([ada]);
      expect(await find(api, ada.id.toUpperCase())).toEqual([ada]);
      expect(await names(other, ada.id)).toEqual(['a@b.example and more']); // an id of another organization is a word
    });

    it('finds an id by its first twelve characters and more', async () => {
      for (const length of [12, 20, 29]) expect(await find(api, ada.id.slice(0, length))).toContainEqual(ada);
      expect(await find(api, ada.id.slice(0, 29).toUpperCase())).toEqual([ada]);
      expect(await find(api, ada.id.slice(0, 11))).toEqual([]);
      expect(await find(api, ada.id.slice(-12))).toEqual([]);
    });

    it('returns only users with the given role', async () => {
      expect(await names(api, 'smith', '&role=admin')).toEqual([]);
      await api.patch(`/api/v1/users/${ada.id}`, { role: 'admin' }).expect(200);
      expect(await names(api, 'ada', '&role=admin')).toEqual(['Ada Lovelace']);
      expect(await names(api, 'adda', '&role=viewer')).toEqual([]);
    });

    it('returns only active users, or only the others', async () => {
      await api.patch(`/api/v1/users/${ada.id}`, { active: false }).expect(200);
      for (const q of ['ada', 'adda', ada.id, ada.email]) {
        expect(await names(api, q, '&active=false')).toEqual(['Ada Lovelace']);
        expect(await names(api, q, '&active=true')).not.toContain('Ada Lovelace');
      }
      await api.patch(`/api/v1/users/${ada.id}`, { active: true }).expect(200);
      expect(await names(api, 'ada', '&active=false')).toEqual([]);
    });
  });

  it('combines exact words with typos and ranks fewer typos first', async () => {
    const api = await service.client();
    await api.createUser({ name: 'Peter Miller', email: 'one@x.example' });
    await api.createUser({ name: 'Piter Miller', email: 'two@x.example' });
    expect(await names(api, 'pieter miller')).toEqual(['Peter Miller', 'Piter Miller']);
    expect(await names(api, 'petre miler')).toEqual(['Peter Miller']);
    expect(await names(api, 'petre mller')).toEqual(['Peter Miller']);
    await api.createUser({ name: 'Petre Miller', email: 'three@x.example' });
    expect(await names(api, 'petre mller')).toEqual(['Petre Miller', 'Peter Miller']);
  });

  it.each([
    [
      'Katherine',
      ['Kathorine', 'Kaherine', 'Kathereine', 'Kathreine', 'katherien', 'katherin'],
      ['Xatherine', 'Akatherine', 'Ktahrine', 'Kat5erine'],
    ],
    ['Gauß', ['gausss', 'guass'], ['gxaxss', 'agusss']],
    ['Наталья', ['Наталия', 'Наталя', 'Натталья', 'Наталяь', 'Ноталья'], ['Маталья', 'Нтлья']],
    ['Γεώργιος', ['Γεωργοις', 'Γεοργιος'], ['Χεωργιος']],
    ['李小龙先生', ['李小虎先生', '李小先生', '李龙小先生'], ['王小龙先生', '李大虎先生']],
    ['김민준선', ['김민서준선', '김준민선', '김수준선'], ['박민준선']],
  ])(
    'finds %s in spite of one typo, but not of two or one in the first letter',
    async (name, found, missed) => {
      const api = await service.client();
      await api.createUser({ name: `Dr. ${name}` });
      await api.createUser({ name: 'Somebody Else' });
      for (const q of found) expect([q, await names(api, q)]).toEqual([q, [`Dr. ${name}`]]);
      for (const q of missed) expect([q, await names(api, q)]).toEqual([q, []]);
    },
  );

  it.each([
    ['José Ñandú', ['jose', 'JOSE', 'josé', 'JOSÉ', 'nandu', 'ñandú', 'jose\u0301']],
    ['Jose Nandu', ['josé', 'ÑANDÚ']],
    ['İstanbul Işık', ['istanbul', 'ISTANBUL', 'İSTANBUL', 'ışık', 'isik', 'IŞIK']],
    ['Jürgen Groß', ['jurgen', 'JÜRGEN', 'gross', 'groß', 'GROSS', 'GROẞ']],
    ['Søren Łukasz', ['soren', 'SØREN', 'lukasz', 'łukasz']],
    ['李小龙', ['李小', '小龙', '李小龙']],
    ['김민준', ['김민', '민준']],
    ['がくえん', ['がく', 'くえ']],
    ['Ada 😀🚀', ['😀🚀', 'ada 😀']],
    ['ΟΔΟΣ', ['οδος', 'οδοσ', 'ΟΔΟΣ']],
    ['Ｆｕｌｌ Width', ['full', 'ｆｕｌｌ']],
  ])('finds %s by %j', async (name, queries) => {
    const api = await service.client();
    await api.createUser({ name });
    await api.createUser({ name: 'Somebody Else' });
    for (const q of queries) expect([q, await names(api, q)]).toEqual([q, [name]]);
  });

  it('finds new values immediately, and old values no longer after an update or delete', async () => {
    const api = await service.client();
    for (let i = 0; i < 20; i++) {
      const user = await api.createUser({ name: `Fresh Person${i}`, metadata: { code: `alpha${i}x` } });
      expect(await find(api, `person${i}`)).toContainEqual(user);
      const { body: changed } = await api
        .patch(`/api/v1/users/${user.id}`, { name: `Renamed Human${i}`, metadata: { code: `beta${i}x` } })
        .expect(200);
      expect(await find(api, `human${i}`)).toContainEqual(changed);
      expect(await find(api, `beta${i}x`)).toEqual([changed]);
      expect(await find(api, `alpha${i}x`)).toEqual([]);
      await api.delete(`/api/v1/users/${user.id}`).expect(204);
      expect(await find(api, `human${i}`)).toEqual([]);
    }
  });

  it('corrects typos of a name that was just created', async () => {
    const api = await service.client();
    await api.createUser({ name: 'Wilhelmina Krog' });
    expect(await names(api, 'wilhelmna')).toEqual(['Wilhelmina Krog']);
  });

  it('finds no users or words of another organization', async () => {
    const [own, foreign] = [await service.client(), await service.client()];
    const secret = await foreign.createUser({ name: 'Secret Person', metadata: { a: 'hidden' } });
    for (const q of [
      'secret',
      'secrte',
      'hidden',
      secret.email,
      secret.id,
      secret.id.slice(6),
      '%%',
      'us',
      'person',
    ]) {
      expect(await find(own, q)).toEqual([]);
    }
  });
  it('finds exactly the users that contain the words of the query', async () => {
    const api = await service.client();
    const people = await Promise.all(
      [
        'Ann-Marie O’Hara',
        'anne marie',
        'Bob_the%Builder',
        'C\\D',
        '"Quoted" \'Name\'',
        'a & b | c',
        'x:* <-> y',
      ].map((name) => api.createUser({ name })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...people),
        fc.nat(),
        fc.integer({ min: 2, max: 8 }),
        async ({ name }, at, length) => {
          const start = at % (name.length - 1);
          const q = name.slice(start, start + length);
          if (q.trim().length < 2) return;
          const words = q.toLowerCase().trim().split(/\s+/);
          const escaped = (word: string) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&');
          // A word of one or two letters counts at the start of a word only.
          const pattern = (word: string) =>
            word.length <= 2 && /^[\p{L}\p{N}]/u.test(word) ? `(?<![a-z0-9])${escaped(word)}` : escaped(word);
          const containsWords = ({ name, email }: UserBody) =>
            words.every((word) => new RegExp(pattern(word)).test([name, email].join('\n').toLowerCase()));
          const found = await find(api, q, '&limit=200');
          expect(found.map(({ id }) => id).sort()).toEqual(
            people
              .filter(containsWords)
              .map(({ id }) => id)
              .sort(),
          );
        },
      ),
      { numRuns: 150, endOnFailure: true },
    );
  });

  it.each([
    ['q=', 'q', 'too_short'],
    ['q=a', 'q', 'too_short'],
    ['q=%20a%20', 'q', 'too_short'],
    [`q=${'x'.repeat(201)}`, 'q', 'too_long'],
    ['q=a+b+c+d+e+f+g+h+i+j+k', 'q', 'too_many'],
    [`q=${encodeURIComponent('aa´bb´cc´dd´ee´ff´gg´hh´ii´jj´kk')}`, 'q', 'too_many'],
    ['q=ab&q=cd', 'q', 'invalid'],
    ['q=a%00b', 'q', 'invalid'],
    ['', 'q', 'required'],
    ['q=ab&sort=name', 'sort', 'unknown'],
    ['q=ab&limit=201', 'limit', 'out_of_range'],
    ['q=ab&role=owner', 'role', 'invalid'],
    ['q=ab&active=yes', 'active', 'invalid'],
    ['q=ab&cursor=x', 'cursor', 'invalid'],
  ])('refuses ?%s', async (query, field, code) => {
    const api = await service.client();
    const { body } = await api.get(`/api/v1/users/search?${query}`).expect(400);
    expect(body.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it.each([
    '%%',
    '__',
    '\\\\',
    "''",
    '""',
    '&|',
    '!(',
    ':*',
    '<->',
    '%',
    "a'",
    'x'.repeat(200),
    '\u0301\u0301',
    '.*',
    '$1',
  ])('treats %j as literal text and does not match every user', async (q) => {
    const api = await service.client();
    for (const name of ['Plain Person', 'Other One']) await api.createUser({ name });
    const { status, body } = await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}`);
    if ([...q.trim()].length < 2) expect(status).toBe(400);
    else expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
  });
});
