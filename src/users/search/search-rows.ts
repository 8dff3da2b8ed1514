import type { DataSource } from 'typeorm';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { all, type Bind, type Condition, hasInitialOf, LAST_CHARACTER, where } from './search-conditions';
import { once } from './once';
import { markWords } from './search-text';
import { USER_COLUMNS } from '../user-columns';
import type { User } from '../user.entity';
import type { Role } from '../user.fields';

/** Up to this many users, scanning the organization is as fast as finding a better plan. */
const SMALL_ORGANIZATION = 2_000;

/** The sample shows how common a condition is: this many of the oldest users, and as many of the newest. */
const SAMPLE_PER_END = 500;

/** The number of matches in the sample if every second user matches. */
export const HALF_OF_SAMPLE = SAMPLE_PER_END;

/** Up to this many matches in the sample, fetching all matches is fast. */
export const RARE = 2;

/** The number of names, for each match in the sample, up to which a walk is faster than an index lookup. */
const WALK_PER_MATCH = 150;

/** The length of the first walk, as a multiple of the length that the sample suggests. */
const FIRST_WALK_FACTOR = 2;

/** The length of each further walk, as a multiple of the walk before. */
const NEXT_WALK_FACTOR = 8;

export type FoundUser = User & { nameWords: string; rank?: number };

/** The row after which a tier continues. */
export type Position = [nameWords: string, id: string];

const ORGANIZATION = 'organization_id';

/** The same as an expression, for which the planner cannot use an index. */
const UNINDEXED_ORGANIZATION = `(organization_id || '')`;

const COLUMNS = `${USER_COLUMNS}, name_words AS "nameWords"`;
const NAME_ORDER = 'name_words, id';

/** The same order as an expression, which keeps the planner from walking all names to find a few matches. */
const UNINDEXED_NAME_ORDER = `name_words || '', id`;

/** Finds users of an organization after a position, ordered by name. */
export class SearchRows {
  private readonly users: string;
  private readonly isSmall = once(() => this.readIsSmall());

  /** `isMajority`: most users in the database belong to this organization. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly organizationId: string,
    private readonly role: Role | undefined,
    private readonly isMajority: boolean,
  ) {
    this.users = tableName(dataSource, 'users');
  }

  /** Users with a name or an email that begins with one of these texts; names and emails each have their own index. */
  beginning(texts: string[], others: Condition, after: Position | undefined, limit: number) {
    return this.query((bind) => {
      const inScope = `${this.afterPosition(after, bind)} AND ${all([this.roleCondition(), others]).sql(bind)}`;
      const prefixes = texts.map(markWords);
      const ranges = (starts: string[]) =>
        `unnest(${bind(starts)}::text[], ${bind(starts.map((text) => text + LAST_CHARACTER))}::text[]) AS r (first, last)`;
      const firstRows = (conditions: string, order: string) =>
        `LATERAL (SELECT name_words, id FROM ${this.users} WHERE ${inScope} AND ${conditions} ORDER BY ${order} LIMIT ${limit}) AS rows`;
      // If the names fill the page, emails of later names are left out: there are many if emails contain the names.
      const inPage = `((name_words, id) <= (SELECT name_words, id FROM by_name OFFSET ${limit - 1})) IS NOT FALSE`;
      // For an ASCII email, the index of the unique key is enough; the row need not be read.
      return `
        WITH by_name AS MATERIALIZED (
          SELECT name_words, id FROM ${ranges(prefixes)}, ${firstRows('name_words >= first AND name_words < last', NAME_ORDER)}
          ORDER BY ${NAME_ORDER} LIMIT ${limit}
        )
        SELECT ${COLUMNS} FROM ${this.users} JOIN (
          SELECT name_words, id FROM by_name
          UNION
          SELECT name_words, id FROM ${ranges(texts)}, ${firstRows(`email_key >= first AND email_key < last AND octet_length(email_key) = char_length(email_key) AND ${inPage}`, UNINDEXED_NAME_ORDER)}
          UNION
          SELECT name_words, id FROM ${ranges(prefixes)}, ${firstRows(`email_words >= first AND email_words < last AND octet_length(email_key) <> char_length(email_key) AND ${inPage}`, UNINDEXED_NAME_ORDER)}
        ) AS found (found_name, found_id) ON id = found_id AND organization_id = ${bind(this.organizationId)}
        ORDER BY ${NAME_ORDER} LIMIT ${limit}`;
    });
  }

  /**
   * Rows that meet `condition` and `others`; `indexCondition` is `condition` in its form for the index. A walk over the
   * names soon meets common matches; rare ones are fetched from the index and sorted. The planner cannot tell which are
   * common, so a sample decides: `conditionMatches` of its users meet `condition`, about `matches` also meet `others`.
   * Matches that are common but not among the next names, such as those of a first name, are fetched too: the first walk
   * does not find them.
   */
  async scan(
    condition: Condition,
    indexCondition: Condition,
    others: Condition,
    after: Position | undefined,
    limit: number,
    matches: number,
    conditionMatches: number,
  ): Promise<FoundUser[]> {
    if (!condition.indexed) return this.fetch(all([condition, others]), after, limit);
    let needed = (FIRST_WALK_FACTOR * limit * 2 * SAMPLE_PER_END) / matches;
    for (
      let length = Math.ceil(needed);
      needed <= conditionMatches * WALK_PER_MATCH;
      length *= NEXT_WALK_FACTOR
    ) {
      const found = await this.walk(length, all([condition, others]), after, limit);
      if (found.length === limit) return found;
      needed = (limit * length) / Math.max(found.length, 1 / 2);
    }
    if (conditionMatches > RARE) {
      const sameInitial = all([indexCondition, hasInitialOf(after?.[0] ?? ''), others]);
      const found = await this.fetch(sameInitial, after, limit);
      if (found.length === limit) return found;
    }
    return this.fetch(all([indexCondition, others]), after, limit);
  }

  /** Rows that meet the condition among the next `length` names. */
  private walk(length: number, condition: Condition, after: Position | undefined, limit: number) {
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM (
          SELECT * FROM ${this.users} WHERE ${this.afterPosition(after, bind)} ORDER BY ${NAME_ORDER} LIMIT ${length}
        ) AS walked WHERE ${all([condition, this.roleCondition()]).filterSql(bind)} ORDER BY ${NAME_ORDER} LIMIT ${limit}`,
    );
  }

  /** How many users of the sample meet each condition; 0 for each if the organization is small. */
  async sample(conditions: Condition[]): Promise<number[]> {
    if (await this.isSmall()) return conditions.map(() => 0);
    const rows = await this.query<Record<string, string>>((bind) => {
      const sampleFrom = (order: string) =>
        `(SELECT * FROM ${this.users} WHERE organization_id = ${bind(this.organizationId)} ORDER BY created_at ${order}, id ${order} LIMIT ${SAMPLE_PER_END})`;
      const counts = conditions.map(
        (condition, i) =>
          `count(*) FILTER (WHERE ${all([condition, this.roleCondition()]).filterSql(bind)}) AS count${i}`,
      );
      return `SELECT ${counts.join(', ')} FROM (${sampleFrom('ASC')} UNION ALL ${sampleFrom('DESC')}) AS sampled`;
    });
    return conditions.map((_condition, i) => Number(rows[0][`count${i}`]));
  }

  /** Rows that meet the condition, ordered by rank and name. */
  async fetch(
    condition: Condition,
    after: Position | undefined,
    limit: number,
    rank: (bind: Bind) => string = () => '0',
  ): Promise<FoundUser[]> {
    const byIndex = condition.indexed && !(await this.isSmall());
    return this.query((bind) => {
      const conditions = all([this.roleCondition(), condition])[byIndex ? 'sql' : 'filterSql'](bind);
      const organization = this.isMajority && byIndex ? UNINDEXED_ORGANIZATION : ORGANIZATION;
      return `
        SELECT ${COLUMNS}, ${rank(bind)} AS rank FROM ${this.users} WHERE ${this.afterPosition(after, bind, organization)} AND ${conditions}
        ORDER BY rank, ${condition.indexed ? UNINDEXED_NAME_ORDER : NAME_ORDER} LIMIT ${limit}`;
    });
  }

  private async readIsSmall(): Promise<boolean> {
    const [{ count }] = await this.query<{ count: number }>(
      (bind) =>
        `SELECT count(*)::int FROM (SELECT FROM ${this.users} WHERE organization_id = ${bind(this.organizationId)} LIMIT ${SMALL_ORGANIZATION + 1}) AS counted`,
    );
    return count <= SMALL_ORGANIZATION;
  }

  /** Rows that a unique key finds. */
  exactMatches(exact: Condition, after: Position | undefined, limit: number): Promise<FoundUser[]> {
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM ${this.users} WHERE ${this.afterPosition(after, bind)} AND ${all([this.roleCondition(), exact]).sql(bind)}
        ORDER BY ${UNINDEXED_NAME_ORDER} LIMIT ${limit}`,
    );
  }

  /** The condition for rows of the organization after the position. */
  private afterPosition(after: Position | undefined, bind: Bind, organization = ORGANIZATION): string {
    const conditions = [`${organization} = ${bind(this.organizationId)}`];
    if (after) conditions.push(`(name_words, id) > (${bind(after[0])}, ${bind(after[1])})`);
    return conditions.join(' AND ');
  }

  private roleCondition(): Condition {
    const { role } = this;
    return where((bind) => (role ? `role = ${bind(role)}` : 'true'));
  }

  private query<Row = FoundUser>(sql: (bind: Bind) => string): Promise<Row[]> {
    const values: unknown[] = [];
    const bind: Bind = Object.assign((value: unknown) => `$${values.push(value)}`, {
      nameOf: (name: string) => tableName(this.dataSource, name),
    });
    const text = sql(bind);
    return retryBroken(() => this.dataSource.query(text, values));
  }
}
