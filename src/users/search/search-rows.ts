import type { DataSource } from 'typeorm';
import { tableName } from '../../database/tables';
import { opaque } from '../../pages/paginate';
import { type Bind, type Condition, type IndexedMatch, LAST_CHARACTER } from './search-conditions';
import { once } from './once';
import { foldName } from './search-text';
import type { Query } from './search-transaction';
import { emailKey, type Role } from '../user.fields';

/** Up to this many users are read without an index. */
const SMALL = 2_000;

/** At most this many matches are read from an index and sorted, for one page. */
const MAX_MATCHES = 20_000;

/** At most this many emails that begin alike are read before looking whether such names or emails are common. */
const FEW_EMAILS = 2_000;

/** What the search itself reads of a user. The row also has the columns that were asked for. */
export interface FoundUser {
  id: string;
  name: string;
  nameKey: string;
  rank: number;
}

/** The row after which a rank continues. */
export type Position = [nameKey: string, name: string, id: string];

const ORDER = 'name_key, name, id';

export interface Page {
  after?: Position;
  limit: number;
}

/**
 * Finds users of one organization, in the order of names. Each statement has one index to go by, whatever the statistics
 * say: `user_search` has no index by organization but the one of its text, and `users` has no column of the search text. Rows
 * of the other table are looked up one by one, in sub-selects that PostgreSQL cannot turn into joins.
 */
export class SearchRows {
  private readonly users: string;
  private readonly userSearch: string;

  constructor(
    dataSource: DataSource,
    private readonly query: Query,
    private readonly organizationId: string,
    private readonly role: Role | undefined,
    /** A condition on `id`: the users that are left out of everything but `withId()`. */
    private readonly others: Condition,
    /** The select list of a user; it has `id` and `name`. */
    private readonly columns: string,
  ) {
    this.users = tableName(dataSource, 'users');
    this.userSearch = tableName(dataSource, 'user_search');
  }

  /** Whether the organization, or its part with the role, has so few users that reading all of them is fast. */
  readonly isSmall = once(async () => {
    const [{ exists }] = await this.run<{ exists: boolean }>(
      (bind) => `SELECT EXISTS (SELECT FROM ${this.users} WHERE ${this.inScope(bind)} OFFSET ${SMALL})`,
    );
    return !exists;
  });

  /** The id of the user with this email. */
  async idOf(emailKey: string): Promise<string | undefined> {
    const [user] = await this.run<{ id: string }>(
      (bind) =>
        `SELECT id FROM ${this.users} WHERE organization_id = ${bind(this.organizationId)} AND email_key = ${bind(emailKey)}`,
    );
    return user?.id;
  }

  /** Users whose id meets the condition. */
  withId(condition: Condition, page: Page) {
    return this.sorted(
      MAX_MATCHES,
      page,
      0,
      (bind) =>
        `SELECT id, name_key, name, 0 AS rank FROM ${this.users} WHERE ${this.inScope(bind)} AND ${condition(bind)}`,
    );
  }

  /** Users with a name or an email that begins with one of these texts; undefined if more than a few emails do. */
  beginning(prefixes: string[], page: Page): Promise<FoundUser[] | undefined> {
    return this.sorted(FEW_EMAILS + page.limit, page, 0, (bind) => {
      const { byName, byEmail } = this.beginnings(prefixes, page, bind);
      return `${byName} UNION SELECT * FROM (${byEmail} LIMIT ${FEW_EMAILS + page.limit + 1}) AS by_email`;
    });
  }

  /** The same, however many emails do. Without a role, their index has all that is read of them. */
  async allBeginning(prefixes: string[], page: Page): Promise<FoundUser[]> {
    const found = await this.sorted(Infinity, page, 0, (bind) => {
      const { byName, byEmail } = this.beginnings(prefixes, page, bind);
      // If the names fill the page, emails of later names are left out: there are many if emails contain the names.
      const end = `(SELECT ${ORDER} FROM by_name ORDER BY ${ORDER} OFFSET ${page.limit - 1})`;
      return `WITH by_name AS MATERIALIZED (${byName}) SELECT * FROM by_name
        UNION SELECT * FROM (
          SELECT * FROM (${byEmail}) AS by_email WHERE ((${ORDER}) <= ${end}) IS NOT FALSE AND ${this.isAfter(page.after, bind)}
          ORDER BY ${ORDER} LIMIT ${page.limit}
        ) AS first_emails`;
    });
    return found ?? [];
  }

  private beginnings(prefixes: string[], { after, limit }: Page, bind: Bind) {
    const rangesOf = (first: string[]) =>
      `unnest(${bind(first)}::text[], ${bind(first.map((prefix) => prefix + LAST_CHARACTER))}::text[]) AS r (first, last)`;
    const inRange = (first: string[], conditions: string, end = '') =>
      `SELECT users.* FROM ${rangesOf(first)}, LATERAL (
         SELECT id, name_key, name, 0 AS rank FROM ${this.users} WHERE ${this.inScope(bind)} AND ${this.others(bind)} AND ${conditions} ${end}
       ) AS users`;
    const firstNames = inRange(
      prefixes.map(foldName),
      `name_key >= first AND name_key < last AND ${this.isAfter(after, bind)}`,
      `ORDER BY ${ORDER} LIMIT ${opaque(limit)}`,
    );
    return {
      byName: `(${firstNames} ORDER BY ${ORDER} LIMIT ${limit})`,
      byEmail: inRange(prefixes.map(emailKey), 'email_key >= first AND email_key < last'),
    };
  }

  /** Users who meet the filter, by rank and name; undefined if there are more than `max`. The index condition is a part of it. */
  async matches(
    { filter, index, rest }: IndexedMatch,
    rank: Condition,
    from: { rank: number } & Page,
    max = MAX_MATCHES,
  ): Promise<FoundUser[] | undefined> {
    const isSmall = await this.isSmall();
    return this.sorted(max, from, from.rank, (bind) => {
      const organizationId = bind(this.organizationId);
      const select = (from: string, where: string) =>
        `SELECT id, name_key, name, ${rank(bind)} AS rank FROM ${from} WHERE ${this.others(bind)} AND ${where}`;
      const columns = 'SELECT user_id AS id, name_key, name, text FROM';
      if (isSmall)
        return select(
          `(SELECT id AS user_id, email_key FROM ${this.users} WHERE ${this.inScope(bind)} LIMIT ${SMALL}) AS users,
           LATERAL (${columns} ${this.userSearch} WHERE organization_id = ${organizationId} AND user_search.user_id = users.user_id OFFSET 0) AS found`,
          filter(bind),
        );
      const ofUser = (column: string, id: string) =>
        `(SELECT ${column} FROM ${this.users} WHERE users.organization_id = ${organizationId} AND users.id = ${id})`;
      const texts = `(SELECT *, ${ofUser('email_key', 'user_id')} AS email_key FROM ${this.userSearch}) AS texts`;
      return select(
        `(${columns} ${texts} WHERE organization_id = ${organizationId} AND ${index(bind)} AND ${rest(bind)}) AS found`,
        this.role ? `${ofUser('role', 'found.id')} = ${bind(this.role)}` : 'true',
      );
    });
  }

  /** The next `length` names: users of this rank among them, how many have any rank, and how many meet each of `parts`. */
  async survey(
    condition: Condition,
    rank: Condition,
    parts: Condition[],
    { after, limit, ...from }: { rank: number } & Page,
    length: number,
  ): Promise<{ found: FoundUser[]; matches: number; counts: number[] }> {
    const rows = await this.run<FoundUser & { counts: number[] }>(
      (bind) => `
        WITH walked AS MATERIALIZED (
          SELECT users.*, text.rank, text.parts
          FROM (
            SELECT * FROM ${this.users} WHERE ${this.inScope(bind)} AND ${this.isAfter(after, bind)} ORDER BY ${ORDER} LIMIT ${opaque(length)}
          ) AS users, LATERAL (
            SELECT CASE WHEN ${condition(bind)} THEN ${rank(bind)} END AS rank, ARRAY[${parts.map((part) => part(bind)).join(', ')}]::boolean[] AS parts
            FROM ${this.userSearch} WHERE user_search.user_id = users.id AND organization_id = ${bind(this.organizationId)} OFFSET 0
          ) AS text
          WHERE ${this.others(bind)}
        )
        SELECT counts, page.*
        FROM (
          SELECT ARRAY[count(rank)${parts.map((_part, i) => `, count(*) FILTER (WHERE parts[${i + 1}])`).join('')}]::int[] AS counts
          FROM walked
        ) AS counted
        LEFT JOIN (
          SELECT ${this.columns}, name_key AS "nameKey", rank FROM walked WHERE rank = ${bind(from.rank)}
          ORDER BY ${ORDER} LIMIT ${limit}
        ) AS page ON true
        ORDER BY "nameKey", name, id`,
    );
    const [matches, ...counts] = rows[0].counts;
    return { found: rows.filter(({ id }) => id !== null), matches, counts };
  }

  /** Users who meet the condition among the next `length` names. */
  walk(condition: Condition, length: number, { after, limit }: Page): Promise<FoundUser[]> {
    return this.run(
      (bind) => `
        SELECT ${this.columns}, name_key AS "nameKey" FROM (
          SELECT * FROM ${this.users} WHERE ${this.inScope(bind)} AND ${this.isAfter(after, bind)} ORDER BY ${ORDER} LIMIT ${opaque(length)}
        ) AS walked
        WHERE ${this.others(bind)} AND (SELECT ${condition(bind)} FROM ${this.userSearch} WHERE user_search.user_id = walked.id AND organization_id = ${bind(this.organizationId)})
        ORDER BY ${ORDER} LIMIT ${limit}`,
    );
  }

  /** The first of the candidates by rank and name, as users; undefined if there are more than `max` candidates. */
  private async sorted(
    max: number,
    { after, limit }: Page,
    rank: number,
    candidates: (bind: Bind) => string,
  ): Promise<FoundUser[] | undefined> {
    const rows = await this.run<FoundUser & { candidates: number }>((bind) => {
      const position = after
        ? `(rank, ${ORDER}) > (${[rank, ...after].map((value) => bind(value)).join(', ')})`
        : `rank >= ${bind(rank)}`;
      return `
        WITH candidates AS MATERIALIZED (SELECT * FROM (${candidates(bind)}) AS c WHERE ${position} ${max < Infinity ? `LIMIT ${max + 1}` : ''})
        SELECT counted.candidates, page.rank, page.name_key AS "nameKey", users.*
        FROM (SELECT count(*)::int AS candidates FROM candidates) AS counted
        LEFT JOIN (SELECT * FROM candidates ORDER BY rank, ${ORDER} LIMIT ${limit}) AS page ON ${max < Infinity ? `candidates <= ${max}` : 'true'}
        ${this.usersOf('page', bind)}
        ORDER BY page.rank, page.name_key, page.name, page.id`;
    });
    return rows[0].candidates > max ? undefined : rows.filter(({ id }) => id !== null);
  }

  private usersOf(rows: string, bind: Bind): string {
    const organization = `organization_id = ${bind(this.organizationId)}`;
    return `LEFT JOIN LATERAL (SELECT ${this.columns} FROM ${this.users} WHERE ${organization} AND users.id = ${rows}.id OFFSET 0) AS users ON true`;
  }

  private inScope(bind: Bind): string {
    const role = this.role ? ` AND role = ${bind(this.role)}` : '';
    return `organization_id = ${bind(this.organizationId)}${role}`;
  }

  private isAfter(after: Position | undefined, bind: Bind): string {
    return after ? `(${ORDER}) > (${after.map((value) => bind(value)).join(', ')})` : 'true';
  }

  private run<Row = FoundUser>(sql: Condition): Promise<Row[]> {
    const values: unknown[] = [];
    const places = new Map<unknown, string>();
    const bind: Bind = (value) => {
      if (!places.has(value)) places.set(value, `$${values.push(value)}`);
      return places.get(value)!;
    };
    return this.query(sql(bind), values);
  }
}
