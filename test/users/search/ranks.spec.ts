/**
 * @slow it fills organizations with thousands of users
 */
import type { INestApplication } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { OrganizationsService, UserManagementModule } from '../../../src';
import { person, pick, random } from '../../../src/entry/demo/people';
import { ConnectionShares } from '../../../src/platform/database/connections/connection-shares';
import { Database } from '../../../src/platform/database/database';
import { tableName } from '../../../src/platform/database/tables';
import { UserSearch } from '../../../src/users/search/user-search.service';
import { ScimDirectoryAttributes } from '../../../src/scim/users/scim-directory-attributes';
import { stringsIn } from '../../../src/users/search/text';
import { fold } from '../../../src/users/user/fold';
import type { User } from '../../../src/users/user/user.entity';
import { emailKey } from '../../../src/users/user/user.keys';
import { OPTIONS } from '../../support/embedding';
import { fillOrganization } from '../../support/people';
import { ownDataSource, startHost } from '../../support/host';
import { inTime } from '../../support/searches';
import { startService } from '../../support/service';

/** More users than a search reads without an index. */
const MANY = 3_000;
const FEW = 300;

/** The deployments: the standalone service, and a host application with a separate schema. */
const SITES: Record<string, () => Promise<Site>> = {
  'of the standalone service': async () => {
    const service = await startService();
    return { app: service.app, dataSource: service.dataSource, close: () => service.close() };
  },
  'in the schema of a host application': async () => {
    const host = await startHost([UserManagementModule.forRoot(OPTIONS)]);
    return { app: host.app, dataSource: ownDataSource(host), close: () => host.close() };
  },
};

interface Site {
  app: INestApplication;
  dataSource: DataSource;
  close(): Promise<void>;
}

let dataSource: DataSource;
let [many, few] = ['', ''];
const people = new Map<string, Pick<User, 'id' | 'name' | 'email' | 'metadata'>[]>();

/** Every fifth person has an accent in the email. */
const emailOf = (n: number) =>
  n % 5 === 0
    ? person(n)
        .email.replace(/[aeiou]/, '$&\u0301')
        .normalize()
    : person(n).email;

/** The ids of all matches in the documented order, found without the database. */
function idsByReading(organizationId: string, q: string): string[] {
  const whole = fold(q);
  const words = whole.split(' ');
  const isStart = (text: string, at: number) =>
    !/[\p{L}\p{N}]/u.test(text[at]) || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ');
  const places = (text: string, word: string) => {
    const found: number[] = [];
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) found.push(at);
    return found;
  };
  const ranked = people.get(organizationId)!.flatMap((user) => {
    const [name, email, ...rest] = [user.name, user.email, ...stringsIn(user.metadata)].map(fold);
    const text = [name, email, ...rest].join('\n');
    const isAtStart = (word: string) => places(text, word).some((at) => isStart(text, at));
    const isInside = (word: string) => (word.length <= 2 ? isAtStart(word) : places(text, word).length > 0);
    const ranks = [
      user.email.toLowerCase() === q.toLowerCase() || user.id === q,
      name.startsWith(whole) || emailKey(user.email).startsWith(emailKey(q)),
      words.every(isAtStart),
      words.every(isInside),
    ];
    const rank = ranks.indexOf(true);
    return rank < 0 ? [] : [{ rank, key: [name, user.name, user.id], id: user.id }];
  });
  const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  return ranked
    .sort(
      (a, b) =>
        a.rank - b.rank || a.key.map((part, i) => compare(part, b.key[i])).find((order) => order !== 0) || 0,
    )
    .map(({ id }) => id);
}

async function idsBySearch(organizationId: string, q: string, limit: number): Promise<string[]> {
  const search = new UserSearch(
    new Database(dataSource, new ConnectionShares(10)),
    new ScimDirectoryAttributes(),
  );
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await inTime(() => search.search(organizationId, { q, limit, cursor }));
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
  const anyNumber = () => Math.floor(next() * (MANY + FEW));
  const anyPerson = () => person(anyNumber());
  const kinds = [
    () => part(anyPerson().name, 2),
    () => part(anyPerson().name, 3),
    () => part(anyPerson().name, 5),
    () => pick(next, anyPerson().name.split(' ')),
    () => anyPerson().name.split(' ').reverse().join(' '),
    () => part(anyPerson().email, 3 + Math.floor(next() * 9)),
    () => anyPerson().email,
    () => emailOf(anyNumber()).slice(0, 2 + Math.floor(next() * 9)),
    () => pick(next, [anyPerson().metadata.city, anyPerson().metadata.team, anyPerson().metadata.badge]),
    () => `${part(anyPerson().name, 3)} ${pick(next, ['com', 'example', '@', '.', '9'])}`,
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
  let compared = 0;
  for (const q of queries(200)) {
    const expected = idsByReading(organizationId, q);
    if (expected.length === 0 || expected.length > MANY_MATCHES * 3) continue;
    const limit = expected.length > MANY_MATCHES ? 200 : 23;
    expect([q, await idsBySearch(organizationId, q, limit)]).toEqual([q, expected]);
    compared++;
  }
  expect(compared).toBeGreaterThan(50);
}

describe.each(Object.keys(SITES))(
  'the search %s returns the same users in the same order as a look at each of them',
  (name) => {
    let site: Site;
    beforeAll(async () => {
      site = await SITES[name]();
      dataSource = site.dataSource;
      const organizations = site.app.get(OrganizationsService);
      [many, few] = [(await organizations.create('Many')).id, (await organizations.create('Few')).id];
      await fillOrganization(dataSource, many, 0, MANY, (n) => ({ email: emailOf(n) }));
      await fillOrganization(dataSource, few, MANY, FEW, (n) => ({ email: emailOf(n) }));
      for (const organizationId of [many, few])
        people.set(
          organizationId,
          await dataSource.query(
            `SELECT id, name, email, metadata FROM ${tableName(dataSource, 'users')} WHERE organization_id = $1`,
            [organizationId],
          ),
        );
    });
    afterAll(() => site.close());

    it('in a small organization', () => compare(few));

    it('in a large organization', () => compare(many));
  },
);
