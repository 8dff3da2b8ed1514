import type { INestApplication } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { OrganizationsService, UserManagementModule } from '../src';
import { tableName } from '../src/database/tables';
import { person, pick, random } from '../src/demo/people';
import { newId } from '../src/database/id';
import { Majority } from '../src/users/search/majority';
import { fold, markWords, PUNCTUATION, queryWords } from '../src/users/search/search-text';
import { columnsOf, wordsOf, WRITTEN_COLUMNS } from '../src/users/user-columns';
import { emailKey } from '../src/users/user.fields';
import { UserSearch } from '../src/users/search/user-search';
import { insertWords, wordsAsJson } from '../src/users/search/vocabulary';
import { ownDataSource, startHost } from './support/host';
import { startService } from './support/service';

/** More users than a search scans without an index. */
const MANY = 3_000;
const FEW = 300;

/** The deployments: the standalone service, and a host application with a separate schema. */
const SITES: Record<string, () => Promise<Site>> = {
  'of the standalone service': async () => {
    const service = await startService();
    return { app: service.app, dataSource: service.dataSource, close: () => service.close() };
  },
  'in the schema of a host application': async () => {
    const host = await startHost([UserManagementModule.forRoot({ schema: 'ums' })]);
    return { app: host.app, dataSource: ownDataSource(host), close: () => host.close() };
  },
};

interface Site {
  app: INestApplication;
  dataSource: DataSource;
  close(): Promise<void>;
}

let dataSource: DataSource;
let users: string;
let [many, few] = ['', ''];

async function fill(organizationId: string, from: number, count: number): Promise<void> {
  const columns = Array.from({ length: count }, (_, n) =>
    columnsOf(person(from + n) as Parameters<typeof columnsOf>[0]),
  );
  const rows = columns.map((values) => ({ id: newId('usr'), ...values }));
  const written = WRITTEN_COLUMNS.map(({ column }) => column).join(', ');
  const types = WRITTEN_COLUMNS.map(({ column, type }) => `${column} ${type}`).join(', ');
  await dataSource.query(
    `INSERT INTO ${users} (organization_id, id, ${written})
     SELECT $1, id, ${written} FROM json_to_recordset($2) AS u (id text, ${types})`,
    [organizationId, JSON.stringify(rows)],
  );
  const words = [...new Set(columns.flatMap(wordsOf))];
  await dataSource.query(insertWords(dataSource, '$1'), [
    wordsAsJson(words.map((word) => ({ organizationId, word }))),
  ]);
}

/** The ids of all matches in the documented order, from a scan of the whole organization. */
async function idsByScan(organizationId: string, q: string): Promise<string[]> {
  const prefix = markWords(fold(q));
  const values = [organizationId, emailKey(q), q.toLowerCase(), prefix, `${prefix}\u{10FFFF}`];
  const contains = (word: string) => {
    const text = word.replace(/[.@_-]/g, (mark) => PUNCTUATION[mark]);
    return `strpos(search_text, $${values.push(text)}) > 0`;
  };
  const words = queryWords(q);
  const rows: { id: string }[] = await dataSource.query(
    `SELECT id FROM (
       SELECT id, name_words, CASE
         WHEN email_key = $2 OR id = $3 THEN 0
         WHEN name_words >= $4 AND name_words < $5 OR email_words >= $4 AND email_words < $5 THEN 1
         WHEN ${words.map(contains).join(' AND ')} THEN 2
         WHEN ${words.map((word) => contains(word.trimStart())).join(' AND ')} THEN 3 END AS rank
       FROM ${users} WHERE organization_id || '' = $1
     ) AS ranked WHERE rank IS NOT NULL ORDER BY rank, name_words, id`,
    values,
  );
  return rows.map(({ id }) => id);
}

async function idsBySearch(organizationId: string, q: string, limit: number): Promise<string[]> {
  const search = new UserSearch(dataSource);
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search.search(organizationId, { q, limit, cursor });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return ids;
}

/** Queries with matches: whole names, emails and metadata values, parts of them, and combinations. */
function* queries(count: number): Generator<string> {
  const next = random(20_26);
  const part = (text: string, length: number) => {
    const at = Math.floor(next() * Math.max(1, text.length - length));
    return text.slice(at, at + length).trim();
  };
  const anyPerson = () => person(Math.floor(next() * (MANY + FEW)));
  const kinds = [
    () => part(anyPerson().name, 2),
    () => part(anyPerson().name, 3),
    () => part(anyPerson().name, 5),
    () => pick(next, anyPerson().name.split(' ')),
    () => anyPerson().name.split(' ').reverse().join(' '),
    () => part(anyPerson().email, 3 + Math.floor(next() * 9)),
    () => anyPerson().email,
    () => pick(next, [anyPerson().metadata.city, anyPerson().metadata.team, anyPerson().metadata.badge]),
    () => `${part(anyPerson().name, 3)} ${pick(next, ['com', 'example', 'usr_', '9'])}`,
  ];
  for (let i = 0; i < count; i++) {
    const q = kinds[i % kinds.length]();
    if ([...q].length >= 2) yield q;
  }
}

/** Queries with more matches are read in large pages. */
const MANY_MATCHES = 400;

/** Skips queries without matches, because the search then corrects typos. */
async function compare(organizationId: string): Promise<void> {
  for (const q of queries(135)) {
    const expected = await idsByScan(organizationId, q);
    if (expected.length === 0 || expected.length > MANY_MATCHES * 3) continue;
    const limit = expected.length > MANY_MATCHES ? 200 : 23;
    expect([q, await idsBySearch(organizationId, q, limit)]).toEqual([q, expected]);
  }
}

describe.each(Object.keys(SITES))(
  'the search %s returns the same users in the same order as a full scan',
  (name) => {
    let site: Site;
    beforeAll(async () => {
      site = await SITES[name]();
      dataSource = site.dataSource;
      users = tableName(dataSource, 'users');
      const organizations = site.app.get(OrganizationsService);
      [many, few] = [(await organizations.create('Many')).id, (await organizations.create('Few')).id];
      await fill(many, 0, MANY);
      await fill(few, MANY, FEW);
    });
    afterAll(() => site.close());

    it('in a small organization', () => compare(few));

    it('in a large organization', () => compare(many));

    it('in an organization that has most users according to the statistics', async () => {
      await dataSource.query(`ANALYZE ${users}`);
      const majority = new Majority(dataSource);
      expect([await majority.has(many), await majority.has(few)]).toEqual([true, false]);
      await compare(many);
      await compare(few);
    });
  },
);
