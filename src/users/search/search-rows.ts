import type { DataSource } from 'typeorm';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { all, type Bind, type Condition, hasInitialOf, LAST, where } from './search-conditions';
import { once } from './once';
import { markWords } from './search-text';
import { USER_COLUMNS } from '../user-columns';
import type { User } from '../user.entity';
import type { Role } from '../user.fields';

/** Up to so many users of an organization are looked at in no more time than it takes to find out what would be quicker. */
const FEW = 2_000;

/** Users whose matches tell whether a condition is common: this many of the oldest, and of the newest. */
const SAMPLE = 500;

/** Matches in the sample where every second user matches. */
export const HALF = SAMPLE;

/** With no more matches in the sample, all there are are soon fetched. */
export const RARE = 2;

/** As many names as it is worth to walk, for each match in the sample, before an index is asked. */
const WALK_PER_SEEN = 150;

/** A first walk is so many times as long as it should take, and each further one so many times as long as the one before. */
const PATIENCE = 2;
const STRIDE = 8;

export type FoundUser = User & { nameWords: string; rank?: number };

/** The row after which a tier goes on. */
export type Position = [nameWords: string, id: string];

const OWNER = 'organization_id';

/** The same, and no index is asked for it. */
const HIDDEN_OWNER = `(organization_id || '')`;

const COLUMNS = `${USER_COLUMNS}, name_words AS "nameWords"`;
const IN_ORDER = 'name_words, id';

/** The same order by an expression, which keeps the planner from walking the names to find the few that match. */
const SORTED = `name_words || '', id`;

/** The users of an organization, as the search looks for them: after a position, in the order of names. */
export class SearchRows {
  private readonly users: string;
  private readonly areFew = once(() => this.countFew());

  /** `isMajority`: the organization is the one that most users are of. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly organizationId: string,
    private readonly role: Role | undefined,
    private readonly isMajority: boolean,
  ) {
    this.users = tableName(dataSource, 'users');
  }

  /** Names and emails that begin with one of these texts, in the order of names, each from an index of its own. */
  beginning(texts: string[], others: Condition, after: Position | undefined, limit: number) {
    return this.query((bind) => {
      const rest = `${this.mine(after, bind)} AND ${all([this.ofRole(), others]).sql(bind)}`;
      const prefixes = texts.map(markWords);
      const ranges = (of: string[]) =>
        `unnest(${bind(of)}::text[], ${bind(of.map((text) => text + LAST))}::text[]) AS r (first, last)`;
      const first = (conditions: string, order: string) =>
        `LATERAL (SELECT name_words, id FROM ${this.users} WHERE ${rest} AND ${conditions} ORDER BY ${order} LIMIT ${limit}) AS rows`;
      // A page of names leaves out emails of later ones, which are many where all who have a name have it in their email.
      const inPage = `((name_words, id) <= (SELECT name_words, id FROM named OFFSET ${limit - 1})) IS NOT FALSE`;
      // Of an email in ASCII the unique key tells how it begins, without a look at the row.
      return `
        WITH named AS MATERIALIZED (
          SELECT name_words, id FROM ${ranges(prefixes)}, ${first('name_words >= first AND name_words < last', IN_ORDER)}
          ORDER BY ${IN_ORDER} LIMIT ${limit}
        )
        SELECT ${COLUMNS} FROM ${this.users} JOIN (
          SELECT name_words, id FROM named
          UNION
          SELECT name_words, id FROM ${ranges(texts)}, ${first(`email_key >= first AND email_key < last AND octet_length(email_key) = char_length(email_key) AND ${inPage}`, SORTED)}
          UNION
          SELECT name_words, id FROM ${ranges(prefixes)}, ${first(`email_words >= first AND email_words < last AND octet_length(email_key) <> char_length(email_key) AND ${inPage}`, SORTED)}
        ) AS found (found_name, found_id) ON id = found_id AND organization_id = ${bind(this.organizationId)}
        ORDER BY ${IN_ORDER} LIMIT ${limit}`;
    });
  }

  /**
   * Rows in the order of names that meet both conditions; an index may know the first. Common matches are soon met by
   * walking the names; rare ones are fetched from the index and sorted. The planner cannot tell which are which, so a
   * sample does: of its users `often` meet the first condition, and `fitting` both. Matches that are common but not among
   * the next names, as a first name is, are fetched too: the first walk tells.
   */
  async scan(
    condition: Condition,
    indexed: Condition,
    others: Condition,
    after: Position | undefined,
    limit: number,
    fitting: number,
    often: number,
  ): Promise<FoundUser[]> {
    if (!condition.indexed) return this.fetch(all([condition, others]), after, limit);
    let needed = (PATIENCE * limit * 2 * SAMPLE) / fitting;
    for (let length = Math.ceil(needed); needed <= often * WALK_PER_SEEN; length *= STRIDE) {
      const found = await this.walk(length, all([condition, others]), after, limit);
      if (found.length === limit) return found;
      needed = (limit * length) / Math.max(found.length, 1 / 2);
    }
    if (often > RARE) {
      const near = all([indexed, hasInitialOf(after?.[0] ?? ''), others]);
      const found = await this.fetch(near, after, limit);
      if (found.length === limit) return found;
    }
    return this.fetch(all([indexed, others]), after, limit);
  }

  /** Those that meet the condition among the next so many names. */
  private walk(length: number, condition: Condition, after: Position | undefined, limit: number) {
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM (
          SELECT * FROM ${this.users} WHERE ${this.mine(after, bind)} ORDER BY ${IN_ORDER} LIMIT ${length}
        ) AS walked WHERE ${all([condition, this.ofRole()]).atHand(bind)} ORDER BY ${IN_ORDER} LIMIT ${limit}`,
    );
  }

  /** How many of some users meet each condition; none, where the users are few. */
  async sample(conditions: Condition[]): Promise<number[]> {
    if (await this.areFew()) return conditions.map(() => 0);
    const rows = await this.query<Record<string, string>>((bind) => {
      const some = (order: string) =>
        `(SELECT * FROM ${this.users} WHERE organization_id = ${bind(this.organizationId)} ORDER BY created_at ${order}, id ${order} LIMIT ${SAMPLE})`;
      const counts = conditions.map(
        (condition, i) =>
          `count(*) FILTER (WHERE ${all([condition, this.ofRole()]).atHand(bind)}) AS seen${i}`,
      );
      return `SELECT ${counts.join(', ')} FROM (${some('ASC')} UNION ALL ${some('DESC')}) AS sampled`;
    });
    return conditions.map((_condition, i) => Number(rows[0][`seen${i}`]));
  }

  /** Rows that meet the condition, in the order of their rank and of names. */
  async fetch(
    condition: Condition,
    after: Position | undefined,
    limit: number,
    rank: (bind: Bind) => string = () => '0',
  ): Promise<FoundUser[]> {
    const byIndex = condition.indexed && !(await this.areFew());
    return this.query((bind) => {
      const conditions = all([this.ofRole(), condition])[byIndex ? 'sql' : 'atHand'](bind);
      const owner = this.isMajority && byIndex ? HIDDEN_OWNER : OWNER;
      return `
        SELECT ${COLUMNS}, ${rank(bind)} AS rank FROM ${this.users} WHERE ${this.mine(after, bind, owner)} AND ${conditions}
        ORDER BY rank, ${condition.indexed ? SORTED : IN_ORDER} LIMIT ${limit}`;
    });
  }

  private async countFew(): Promise<boolean> {
    const [{ count }] = await this.query<{ count: number }>(
      (bind) =>
        `SELECT count(*)::int FROM (SELECT FROM ${this.users} WHERE organization_id = ${bind(this.organizationId)} LIMIT ${FEW + 1}) AS counted`,
    );
    return count <= FEW;
  }

  /** Rows that the keys find. */
  named(exact: Condition, after: Position | undefined, limit: number): Promise<FoundUser[]> {
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM ${this.users} WHERE ${this.mine(after, bind)} AND ${all([this.ofRole(), exact]).sql(bind)}
        ORDER BY ${SORTED} LIMIT ${limit}`,
    );
  }

  /** What every rank asks for: rows of the organization after the position. */
  private mine(after: Position | undefined, bind: Bind, owner = OWNER): string {
    const conditions = [`${owner} = ${bind(this.organizationId)}`];
    if (after) conditions.push(`(name_words, id) > (${bind(after[0])}, ${bind(after[1])})`);
    return conditions.join(' AND ');
  }

  private ofRole(): Condition {
    const { role } = this;
    return where((bind) => (role ? `role = ${bind(role)}` : 'true'));
  }

  private query<Row = FoundUser>(sql: (bind: Bind) => string): Promise<Row[]> {
    const values: unknown[] = [];
    const bind: Bind = Object.assign((value: unknown) => `$${values.push(value)}`, {
      nameOf: (own: string) => tableName(this.dataSource, own),
    });
    const text = sql(bind);
    return retryBroken(() => this.dataSource.query(text, values));
  }
}
