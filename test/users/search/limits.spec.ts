import { queriesFor } from '../../../src/users/search/query';
import { SearchTime } from '../../../src/users/search/search-time';
import { UserSearch } from '../../../src/users/search/user-search.service';
import { Sql, sql } from '../../../src/platform/database/sql';
import { describeOn } from '../../support/engine';
import { fillOrganization } from '../../support/people';
import { rowsReadBy, selectsOf } from '../../support/plans';
import { inTime } from '../../support/searches';
import { startService, type TestService } from '../../support/service';

const TOO_LONG = { detail: 'The search takes too long. Search for fewer, longer or rarer words.' };

let service: TestService;
let search: UserSearch;
beforeAll(async () => {
  service = await startService();
  search = service.app.get(UserSearch);
});
afterAll(() => service.close());
afterEach(() => jest.restoreAllMocks());

describe('a small organization', () => {
  it.each([{}, { role: 'member' as const }])('has up to 4 MB of text, filtered by %j', async (filter) => {
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
  });

  it('has its texts read once if none of them is long', async () => {
    const { organizationId } = await service.client();
    await fillOrganization(service.dataSource, organizationId, 0, 100);
    const statements = await selectsOf(service.dataSource, () => search.search(organizationId, { q: 'q9' }));
    expect(await rowsReadBy(service.dataSource, statements)).toBeLessThan(300); // each is counted and read
  });
});

it('compares regular expressions with the texts that have all other words', () => {
  const [, withTypos] = [...queriesFor('lovelace 1815 ada', 'org_x')];
  const valuesOf = ({ values }: Sql): unknown[] =>
    values.flatMap((value) => (value instanceof Sql ? valuesOf(value) : [value]));
  expect(valuesOf(withTypos.filter).slice(0, 3)).toEqual(['1815', 'ada', 'lovelace']);
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
