import fc from 'fast-check';
import { sql } from '../../../src/platform/database/sql';
import { SearchTime } from '../../../src/users/search/search-time';
import { toSearchText } from '../../../src/users/search/text';
import { UserSearch } from '../../../src/users/search/user-search.service';
import { fold, foldName } from '../../../src/users/user/fold';
import { aUser, type Client, type UserBody } from '../../support/client';
import { describeOn } from '../../support/engine';
import { fillOrganization } from '../../support/people';
import { selectsOf } from '../../support/plans';
import { find, inTime, names, walk } from '../../support/searches';
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
    const CLEO = { team: 'Annex', tags: ['blue', { deep: 'Lapis Lazuli' }], n: 4711 };
    beforeAll(async () => {
      api = await service.client();
      for (const [name, email, metadata] of [
        ['Mara Ann Smith', 'mara@x.example', {}],
        ['Ann Smith', 'a.smith@x.example', {}],
        ['Zoe Annison', 'zoe@x.example', {}],
        ['Bob Stone', 'ann@x.example', {}],
        ['Joanna Brown', 'jo@x.example', {}],
        ['Cleo Marsh', 'cleo@x.example', CLEO],
        ['John Smith', 'john.smith@x.example', {}],
        ['Dan Mannheim', 'dan@x.example', {}],
      ] as const)
        await api.createUser({ name, email, metadata });
      ada = await api.createUser({ name: 'Ada Lovelace', email: 'ada@lovelace.example' });
    });

    it('the beginnings of names and emails first, then those of words, then words that contain the query', async () => {
      for (const [q, ...expected] of [
        [
          'ann',
          ...['Ann Smith', 'Bob Stone', 'Cleo Marsh', 'Mara Ann Smith', 'Zoe Annison'],
          ...['Dan Mannheim', 'Joanna Brown'],
        ],
        ['ann@x.example', 'Bob Stone'],
        ['ANN@X.EXAMPLE', 'Bob Stone'],
        ['smith', 'Ann Smith', 'John Smith', 'Mara Ann Smith'],
        ['ann smith', 'Ann Smith', 'Mara Ann Smith'],
        ['smith ann', 'Ann Smith', 'Mara Ann Smith'],
        ['smith nni'],
        ['mar smi', 'Mara Ann Smith'],
        ['hn sm'], // one or two letters only at the start of a word
        ['jo sm', 'John Smith'],
        ['ohn mit', 'John Smith'],
        ['john.smith', 'John Smith'],
        ['lovelace.ex', 'Ada Lovelace'],
        ['lapis', 'Cleo Marsh'],
        ['blue lazuli', 'Cleo Marsh'],
        ['4711'], // only string values are searched, not numbers
        ['team'], // nor keys
        ['jonh smtih', 'John Smith'],
        ['jhon', 'John Smith'],
        ['smiht', 'Ann Smith', 'John Smith', 'Mara Ann Smith'],
        ['anm'], // too short for a typo
        ['nobody at all'],
      ])
        expect([q, ...(await names(api, q))]).toEqual([q, ...expected]);
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

    it('only users with the given role and state', async () => {
      expect(await names(api, 'smith', '&role=admin')).toEqual([]);
      await api.patch(`/api/v1/users/${ada.id}`, { role: 'admin', active: false }).expect(200);
      expect(await names(api, 'ada', '&role=admin')).toEqual(['Ada Lovelace']);
      for (const q of ['ada', 'adda', ada.id, ada.email]) {
        expect(await names(api, q, '&active=false')).toEqual(['Ada Lovelace']);
        for (const more of ['&active=true', '&role=viewer'])
          expect(await names(api, q, more)).not.toContain('Ada Lovelace');
      }
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

  it('finds a name in spite of one typo, but not of two or one in the first letter', async () => {
    const api = await service.client();
    const rows = [
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
    ] as const;
    for (const [name] of rows) await api.createUser({ name: `Dr. ${name}` });
    for (const [name, found, missed] of rows) {
      for (const q of found) expect([q, await names(api, q)]).toEqual([q, [`Dr. ${name}`]]);
      for (const q of missed) expect([q, await names(api, q)]).toEqual([q, []]);
    }
  });

  it('finds a name without regard to accents, letter case and width, in every script', async () => {
    for (const [name, ...queries] of [
      ['José Ñandú', 'jose', 'JOSE', 'josé', 'JOSÉ', 'nandu', 'ñandú', 'jose\u0301'],
      ['Jose Nandu', 'josé', 'ÑANDÚ'],
      ['İstanbul Işık', 'istanbul', 'ISTANBUL', 'İSTANBUL', 'ışık', 'isik', 'IŞIK'],
      ['Jürgen Groß', 'jurgen', 'JÜRGEN', 'gross', 'groß', 'GROSS', 'GROẞ'],
      ['Søren Łukasz', 'soren', 'SØREN', 'lukasz', 'łukasz'],
      ['李小龙', '李小', '小龙', '李小龙'],
      ['김민준', '김민', '민준'],
      ['がくえん', 'がく', 'くえ'],
      ['Ada 😀🚀', '😀🚀', 'ada 😀'],
      ['ΟΔΟΣ', 'οδος', 'οδοσ', 'ΟΔΟΣ'],
      ['Ｆｕｌｌ Width', 'full', 'ｆｕｌｌ'],
    ]) {
      const api = await service.client();
      for (const each of [name, 'Somebody Else']) await api.createUser({ name: each });
      for (const q of queries) expect([q, await names(api, q)]).toEqual([q, [name]]);
    }
  });

  it('finds new values immediately, and old values no longer after an update or delete', async () => {
    const api = await service.client();
    for (let i = 0; i < 5; i++) {
      const user = await api.createUser({ name: `Wilhelmina Fresh${i}`, metadata: { code: `alpha${i}x` } });
      for (const q of [`fresh${i}`, 'wilhelmna']) expect(await find(api, q)).toContainEqual(user);
      const { body: changed } = await api
        .patch(`/api/v1/users/${user.id}`, { name: `Renamed Human${i}`, metadata: { code: `beta${i}x` } })
        .expect(200);
      for (const q of [`human${i}`, `beta${i}x`]) expect(await find(api, q)).toEqual([changed]);
      expect(await find(api, `alpha${i}x`)).toEqual([]);
      await api.delete(`/api/v1/users/${user.id}`).expect(204);
      expect(await find(api, `human${i}`)).toEqual([]);
    }
  });

  it('finds no users or words of another organization', async () => {
    const [own, foreign] = [await service.client(), await service.client()];
    const secret = await foreign.createUser({ name: 'Secret Person', metadata: { a: 'hidden' } });
    const { email, id } = secret;
    const words = ['secret', 'secrte', 'hidden', email, id, id.slice(6), '%%', 'us', 'person'];
    for (const q of words) expect(await find(own, q)).toEqual([]);
  });

  it('refuses a query that is missing, too short or too long, and a parameter that is wrong', async () => {
    const api = await service.client();
    for (const [field, code, ...queries] of [
      ['q', 'required', ''],
      ['q', 'too_short', 'q=', 'q=%20a%20'],
      ['q', 'too_long', `q=${'x'.repeat(201)}`],
      ['q', 'too_many', 'q=a+b+c+d+e+f+g+h+i+j+k'],
      ['q', 'too_many', `q=${encodeURIComponent('aa´bb´cc´dd´ee´ff´gg´hh´ii´jj´kk')}`],
      ['q', 'invalid', 'q=ab&q=cd', 'q=a%00b'],
      ['cursor', 'invalid', 'q=ab&cursor=x'],
    ])
      for (const query of queries) {
        const { body } = await api.get(`/api/v1/users/search?${query}`).expect(400);
        expect({ query, ...body }).toMatchObject({ query, errors: [{ field, code }] });
        expect(body.errors).toHaveLength(1);
      }
  });

  it('takes every character for literal text, and finds nobody else by it', async () => {
    const api = await service.client();
    const odd = [
      'Ann-Marie O’Hara',
      'anne marie',
      'Bob_the%Builder',
      'C\\D',
      `"Quoted" 'Name'`,
      'a & b | c',
      'x:* <-> y',
    ];
    for (const name of ['Plain Person', ...odd]) await api.createUser({ name });
    for (const name of odd)
      for (const q of [name, name.slice(1, -1)].filter((part) => part.trim().length > 1))
        expect([q, await names(api, q)]).toEqual([q, [name]]);
    for (const q of [
      ...['%%', '__', '\\\\', "''", '""', '&|', '!(', ':-', '->-', "a'", '.*', '$1', '\u0301\u0301'],
      'x'.repeat(200),
    ])
      expect([q, await find(api, q)]).toEqual([q, []]);
  });
});

describe('a page of a search', () => {
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

  it('compares the beginning of names without accents, that of emails with them, however many there are', async () => {
    for (const others of [0, 2_100]) {
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
    }
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
    for (const query of [
      ...['q=adam', 'q=ada&role=member', 'q=ada&active=true'].map((query) => `${query}&cursor=${nextCursor}`),
      ...[`q=ada&cursor=${list}`, 'q=ada&cursor='],
    ]) {
      const { body } = await api.get(`/api/v1/users/search?${query}`).expect(400);
      expect({ query, ...body }).toMatchObject({ query, errors: [{ field: 'cursor', code: 'invalid' }] });
    }
    await other.get(`/api/v1/users/search?q=ada&cursor=${nextCursor}`).expect(400);
  });
});

describe('the limits of a search', () => {
  const TOO_LONG = { detail: 'The search takes too long. Search for fewer, longer or rarer words.' };

  let search: UserSearch;
  beforeAll(() => void (search = service.app.get(UserSearch)));

  it('are 4 MB of text in a small organization, with a filter and without', async () => {
    for (const filter of [{}, { role: 'member' as const }]) {
      const { organizationId } = await service.client();
      const fill = (from: number, count: number) =>
        fillOrganization(service.dataSource, organizationId, from, count, () => ({
          role: 'member',
          metadata: { text: 'x'.repeat(100_000) },
        }));
      const found: string[][] = [];
      const find = async () => {
        const statements = await selectsOf(service.dataSource, async () => {
          const { data } = await search.search(organizationId, { q: 'example', limit: 5, ...filter });
          found.push(data.map(({ id }) => id));
        });
        return statements.filter(({ sql }) => sql.includes('user_search'));
      };
      await fill(0, 41);
      expect(await find()).toHaveLength(1);
      await fill(41, 1);
      expect((await inTime(find)).length).toBeGreaterThan(1);
      expect(found.map((ids) => ids.length)).toEqual([5, 5]);
      expect(found[1]).toEqual(found[0]);
    }
  });

  it('are looked at again after two minutes, however often a small organization is searched meanwhile', async () => {
    const { organizationId } = await service.client();
    await fillOrganization(service.dataSource, organizationId, 0, 10);
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    const counts = [];
    for (passed = 0; passed <= 200_000; passed += 25_000) {
      const statements = await selectsOf(service.dataSource, () =>
        search.search(organizationId, { q: 'example' }),
      );
      counts.push(statements.some(({ sql }) => sql.includes('count(*) <=')));
    }
    clock.mockRestore();
    expect(counts[0]).toBe(true);
    expect(counts.slice(1).filter(Boolean).length).toBeGreaterThan(0);
    expect(counts.filter(Boolean).length).toBeLessThan(5);
  });

  describeOn('postgres', 'a search that takes too long', () => {
    const limitTo = (maxMs: number) => jest.replaceProperty(search, 'maxMs', maxMs);
    const words = [...'bcdfghjk'].map((letter) => `${letter}ueberlange${letter}wort`);

    it('is a 503 that says what to do, when the server ends the look for typos in a small organization', async () => {
      const api = await service.client();
      await fillOrganization(service.dataSource, api.organizationId, 0, 100, () => ({
        metadata: { text: 'ab '.repeat(6_500) + words.join(' ') },
      }));
      const q = words.map((word) => word.replace('rl', 'rrl')).join(' ');
      limitTo(40); // the regular expressions take some 200
      const { body } = await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}`).expect(503);
      expect(body).toMatchObject(TOO_LONG);
    });

    it('is the same in a large organization', async () => {
      const api = await service.client();
      await fillOrganization(service.dataSource, api.organizationId, 0, 2_001);
      limitTo(5);
      const { body } = await api.get('/api/v1/users/search?q=jonh%20smtih%20exmaple').expect(503);
      expect(body).toMatchObject(TOO_LONG);
    });

    it('gives each statement what is left of the time, also on another connection, and begins none after it', async () => {
      const time = new SearchTime(60_000);
      const limit = sql`SELECT current_setting('statement_timeout') AS "limit"`;
      for (const leftMs of [59_600, 59_200])
        await service.dataSource.transaction(async (manager) => {
          const run = time.runner(manager, 60_000);
          await run(sql`SELECT pg_sleep(0.4)`);
          const [row] = await run<{ limit: string }>(limit);
          expect(row.limit).toMatch(/^\d+ms$/);
          expect(parseInt(row.limit)).toBeLessThanOrEqual(leftMs);
        });
      const short = new SearchTime(300);
      await service.dataSource.transaction(async (manager) => {
        const run = short.runner(manager); // as in a small organization
        await run(sql`SELECT pg_sleep(0.4)`);
        await expect(run(limit)).rejects.toThrow(TOO_LONG.detail);
      });
    });
  });
});

describe('the text of a search', () => {
  /** The same with Unicode's own forms alone, whose time grows with the square of the marks in a row. */
  function folded(text: string, decomposed: string, composed: string): string {
    const [letters, plain] = ['ßæœøđðþħ', ['ss', 'ae', 'oe', 'o', 'd', 'd', 'th', 'h']];
    return text
      .toLowerCase()
      .normalize(decomposed)
      .replace(/[\u0300-\u036f]/g, '')
      .normalize(composed)
      .toLowerCase()
      .replace(/[ßæœøđðþħ]/g, (letter) => plain[letters.indexOf(letter)])
      .replace(/ł/g, 'l')
      .replace(/ı/g, 'i')
      .replace(/ς/g, 'σ')
      .replace(/[\s\0-\x1f]+/g, ' ') // eslint-disable-line no-control-regex -- as the function itself
      .trim();
  }

  const MARKS = [...'\u0301\u0323\u0345\u034f\u05b0\u0591\u093c\u0e38\u20d0\u3099'];
  const LETTERS = ['é', 'İ', 'Σ', '가', 'ᄀ', 'ᅡ', 'क', 'ש', 'か', 'ﬀ', '\ufdfa', 'ᾂ', 'ẛ', ' ', 'a'];
  const texts = fc
    .array(
      fc.oneof(
        fc.constantFrom(...MARKS),
        fc.constantFrom(...LETTERS),
        fc.string({ unit: 'binary', maxLength: 1 }),
      ),
    )
    .map((characters) => characters.join(''));

  it('folds text as the forms of Unicode do', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(fold(text)).toBe(folded(text, 'NFKD', 'NFKC'));
        expect(foldName(text)).toBe(folded(text, 'NFD', 'NFC'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('sorts no more than thirty marks at once', () => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    fold(`a${'\u05b0\u0591'.repeat(1_000)}`);
    expect(normalize.mock.contexts).toHaveLength(2);
    for (const text of normalize.mock.contexts) expect(String(text)).not.toMatch(/[\u0591-\u05b0]{31}/);
  });

  it('writes each character in a code of its own', () => {
    for (let i = 0; i < 2; i++) expect(toSearchText('Aé @.я中😀!')).toBe(' ae QBQA WEPVEOCNYAPGAARCB');
  });
});
