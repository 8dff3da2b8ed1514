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
import { learn, lesson } from '../src/users/search/vocabulary';
import { ownDataSource, startHost } from './support/host';
import { startService } from './support/service';

/** More than are looked at without an index. */
const MANY = 3_000;
const FEW = 300;

/** Where the tables are: of the service, and of one inside an application, in a schema of its own. */
const SITES: Record<string, () => Promise<Site>> = {
  'of the service': async () => {
    const service = await startService();
    return { app: service.app, dataSource: service.dataSource, close: () => service.close() };
  },
  'in a schema of an application': async () => {
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
  const people = columns.map((one) => ({ id: newId('usr'), ...one }));
  const written = WRITTEN_COLUMNS.map(({ column }) => column).join(', ');
  const types = WRITTEN_COLUMNS.map(({ column, type }) => `${column} ${type}`).join(', ');
  await dataSource.query(
    `INSERT INTO ${users} (organization_id, id, ${written})
     SELECT $1, id, ${written} FROM json_to_recordset($2) AS u (id text, ${types})`,
    [organizationId, JSON.stringify(people)],
  );
  const words = [...new Set(columns.flatMap(wordsOf))];
  await dataSource.query(learn(dataSource, '$1'), [lesson(words.map((word) => ({ organizationId, word })))]);
}

/** Ids by a look at every user of the organization, in the order of the contract. */
async function byLook(organizationId: string, q: string): Promise<string[]> {
  const prefix = markWords(fold(q));
  const values = [organizationId, emailKey(q), q.toLowerCase(), prefix, `${prefix}\u{10FFFF}`];
  const holds = (word: string) => {
    const searched = word.replace(/[.@_-]/g, (mark) => PUNCTUATION[mark]);
    return `strpos(search_text, $${values.push(searched)}) > 0`;
  };
  const words = queryWords(q);
  const rows: { id: string }[] = await dataSource.query(
    `SELECT id FROM (
       SELECT id, name_words, CASE
         WHEN email_key = $2 OR id = $3 THEN 0
         WHEN name_words >= $4 AND name_words < $5 OR email_words >= $4 AND email_words < $5 THEN 1
         WHEN ${words.map(holds).join(' AND ')} THEN 2
         WHEN ${words.map((word) => holds(word.trimStart())).join(' AND ')} THEN 3 END AS rank
       FROM ${users} WHERE organization_id || '' = $1
     ) AS ranked WHERE rank IS NOT NULL ORDER BY rank, name_words, id`,
    values,
  );
  return rows.map(({ id }) => id);
}

async function bySearch(organizationId: string, q: string, limit: number): Promise<string[]> {
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

/** Texts that are found: parts of names, of emails and of metadata, whole ones, and two of them. */
function* terms(count: number): Generator<string> {
  const next = random(20_26);
  const part = (text: string, length: number) => {
    const at = Math.floor(next() * Math.max(1, text.length - length));
    return text.slice(at, at + length).trim();
  };
  const anybody = () => person(Math.floor(next() * (MANY + FEW)));
  const kinds = [
    () => part(anybody().name, 2),
    () => part(anybody().name, 3),
    () => part(anybody().name, 5),
    () => pick(next, anybody().name.split(' ')),
    () => anybody().name.split(' ').reverse().join(' '),
    () => part(anybody().email, 3 + Math.floor(next() * 9)),
    () => anybody().email,
    () => pick(next, [anybody().metadata.city, anybody().metadata.team, anybody().metadata.badge]),
    () => `${part(anybody().name, 3)} ${pick(next, ['com', 'example', 'usr_', '9'])}`,
  ];
  for (let i = 0; i < count; i++) {
    const term = kinds[i % kinds.length]();
    if ([...term].length >= 2) yield term;
  }
}

const DEEP = 400;

/** Without matches the search answers what may have been meant. */
async function compare(organizationId: string): Promise<void> {
  for (const q of terms(135)) {
    const looked = await byLook(organizationId, q);
    if (looked.length === 0 || looked.length > DEEP * 3) continue;
    const limit = looked.length > DEEP ? 200 : 23;
    expect([q, await bySearch(organizationId, q, limit)]).toEqual([q, looked]);
  }
}

describe.each(Object.keys(SITES))(
  'the search %s finds, in their order, whom a look at every user finds',
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

    it('of few', () => compare(few));

    it('of many', () => compare(many));

    it('of many who are most of all, as statistics say, and nobody else', async () => {
      await dataSource.query(`ANALYZE ${users}`);
      const majority = new Majority(dataSource);
      expect([await majority.has(many), await majority.has(few)]).toEqual([true, false]);
      await compare(many);
      await compare(few);
    });
  },
);
