import { type Sql, sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { User } from '../user/user.entity';
import { filterOf, isFiltered, type UserFilter, usersWho } from '../user/user.filter';
import { emailKey } from '../user/user.keys';
import { FALSE, not, TRUE } from './search-conditions';
import { UserSearchText } from './search-texts';

/** Up to this many users are read without an index of their texts. */
export const SMALL = 2_000;

/** A user in the order of the result. */
export interface FoundUser {
  id: string;
  name: string;
  nameKey: string;
}

/** The row after which a rank continues. */
export type Position = [nameKey: string, name: string, id: string];

export interface RankPage {
  after?: Position;
  limit: number;
}

/**
 * One search, in the part of an organization that passes a filter. Each of its statements has one index to go by, whatever the
 * statistics say: `user_search` has no index by organization but the one of its text, and `users` has no column of the search
 * text. OFFSET 0 and MATERIALIZED keep a sub-select from becoming a join, for which the planner might choose another index.
 */
export class Search {
  /** Whether a user passes the filter, by an `id` that was found in `user_search`. */
  readonly isIdInScope: Sql;
  /** The users that the query does not name exactly, by `id`. */
  readonly isOther: Sql;
  private small?: Promise<boolean>;

  constructor(
    readonly run: <Row>(statement: Sql) => Promise<Row[]>,
    readonly organizationId: string,
    private readonly filter: UserFilter,
    private readonly isNamed: Sql = FALSE,
  ) {
    this.isIdInScope = isFiltered(filter)
      ? sql`(SELECT ${filterOf(filter)} FROM ${User} WHERE organization_id = ${organizationId} AND users.id = texts.id)`
      : TRUE;
    this.isOther = not(isNamed);
  }

  /** The same search for a query that names users exactly, by a condition on their `id`: only `exact()` finds these users. */
  naming(isNamed: Sql): Search {
    return new Search(this.run, this.organizationId, this.filter, isNamed);
  }

  /** The users that pass the filter, as an item of FROM. `page` has conditions, an order and a limit. */
  users(page: Sql): Sql {
    return usersWho(this.filter, this.organizationId, page);
  }

  /** Whether the users that pass the filter are so few that reading all of them is fast. */
  isSmall(): Promise<boolean> {
    this.small ??= this.run<{ exists: boolean }>(
      sql`SELECT EXISTS (SELECT FROM ${this.users(sql`LIMIT ${opaque(SMALL + 1)}`)} OFFSET ${SMALL})`,
    ).then(([{ exists }]) => !exists);
    return this.small;
  }

  /** The id of the user with this email. */
  async idOf(email: string): Promise<string | undefined> {
    const [user] = await this.run<{ id: string }>(
      sql`SELECT id FROM ${User} WHERE organization_id = ${this.organizationId} AND email_key = ${emailKey(email)}`,
    );
    return user?.id;
  }

  /**
   * The users that the query names exactly. They are filtered after they are read, or the planner might choose the index of the
   * filter.
   */
  exact({ after, limit }: RankPage): Promise<FoundUser[]> {
    return this.run(sql`
      SELECT id, name_key AS "nameKey", name
      FROM (SELECT * FROM ${User} WHERE organization_id = ${this.organizationId} AND ${this.isNamed} OFFSET 0) AS named
      WHERE ${filterOf(this.filter)} AND ${isAfter(after)}
      ORDER BY name_key, name, id LIMIT ${limit}`);
  }

  /** Users whose search text meets the condition, among the next `length` names. */
  walk(condition: Sql, length: number, { after, limit }: RankPage): Promise<FoundUser[]> {
    return this.run(sql`
      SELECT id, name_key AS "nameKey", name
      FROM (
        SELECT id, name_key, name FROM ${this.users(nextByName(after, length))} ORDER BY name_key, name, id LIMIT ${opaque(length)}
      ) AS names
      WHERE ${this.isOther} AND
        (SELECT ${condition} FROM ${UserSearchText} WHERE organization_id = ${this.organizationId} AND user_id = names.id)
      ORDER BY name_key, name, id LIMIT ${limit}`);
  }

  /** The users with these ids, in this order. Each is looked up by its key. */
  load<Row>(ids: string[], columns: Sql): Promise<Row[]> {
    return this.run(sql`
      SELECT found.* FROM unnest(${ids}::text[]) WITH ORDINALITY AS page (user_id, place), LATERAL (
        SELECT ${columns} FROM ${User} WHERE organization_id = ${this.organizationId} AND id = user_id OFFSET 0
      ) AS found
      ORDER BY place`);
  }
}

/** The rows that follow in the order of names. */
export const isAfter = (after: Position | undefined): Sql =>
  after ? sql`(name_key, name, id) > (${after[0]}, ${after[1]}, ${after[2]})` : TRUE;

/** The next `length` users in the order of names. */
export const nextByName = (after: Position | undefined, length: number): Sql =>
  sql`AND ${isAfter(after)} ORDER BY name_key, name, id LIMIT ${opaque(length)}`;

/** The rows without the placeholder that carries the counts of an empty page. */
export const withUser = <Row extends FoundUser>(rows: Row[]): Row[] => rows.filter(({ id }) => id !== null);
