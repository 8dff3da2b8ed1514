import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { isId } from '../../database/id';
import { join, query, type Sql, sql } from '../../database/sql';
import { type By, callerOf } from '../../http/caller';
import { validatedInput } from '../../http/input/validate';
import { decodeCursor, encodeCursor } from '../../pages/cursor';
import type { Page } from '../../pages/paginate';
import { SearchUsersDto } from '../user/user.dto';
import { User, USER_COLUMNS } from '../user/user.entity';
import { filterOf } from '../user/user.filter';
import { emailKey } from '../user/user.keys';
import { serializeUser } from '../user/user.serializer';
import type { UserText, UserView } from '../user/user.view';
import { load, searchLarge } from './large';
import type { SearchPosition, RankPage, SearchScope, Search } from './page';
import { queriesFor } from './query';
import { searchSmall } from './small';

type SearchInput = Pick<SearchUsersDto, 'q'> & Partial<SearchUsersDto>;

/** A page; without a rank it is the first one. */
type Place = Omit<RankPage, 'rank'> & { rank?: number };

/**
 * The limit for each statement of a search of many users. No statement begins after this time, so a search holds its
 * connection for at most twice as long.
 */
const MAX_MS = 500;

/** Finds users by words of their name, email and metadata. */
@Injectable()
export class UserSearch {
  private readonly maxMs: number = MAX_MS;

  /** @internal Nest constructs it. */
  constructor(private readonly database: Database) {}

  async search(by: By, input: SearchInput): Promise<Page<UserView>> {
    const { data, nextCursor } = await this.page<User>(USER_COLUMNS.select, by, input);
    return { data: data.map(serializeUser), nextCursor };
  }

  /** The same page with values as text, ready for a JSON response. */
  searchAsText(by: By, input: SearchInput): Promise<Page<UserText>> {
    return this.page(USER_COLUMNS.selectText, by, input);
  }

  private async page<Row extends object>(columns: Sql, by: By, input: SearchInput): Promise<Page<Row>> {
    const { organizationId } = callerOf(by);
    const { q, limit, cursor, role, active } = validatedInput(SearchUsersDto, input);
    const list = ['search', organizationId, q, role, ...(active === undefined ? [] : [active])];
    const search = { organizationId, filter: { role, active }, columns };
    const place = { ...(cursor !== undefined && placeIn(decodeCursor(cursor, list, isPlace))), limit: limit + 1 };
    const named = cursor === undefined ? await this.findNamed<Row>(search, q) : undefined;
    if (named) return { data: named, nextCursor: null };
    const found =
      (await this.findInSmall<Row>(search, q, place)) ?? (await this.findInLarge<Row>(search, q, place));
    const data = found.slice(0, limit);
    const { rank, nameKey, name, id } = data.at(-1) ?? {};
    return {
      data,
      nextCursor: found.length > limit ? encodeCursor([String(rank), nameKey, name, id], list) : null,
    };
  }

  /**
   * The user whose id, external id or email is the query, in this order, or nobody if the filter excludes it; undefined
   * if there is none.
   */
  private async findNamed<Row>(
    { organizationId, filter, columns }: Search,
    q: string,
  ): Promise<Row[] | undefined> {
    const id = q.toLowerCase();
    const keys = [
      ...(isId('usr', id) ? [sql`id = ${id}`] : []),
      sql`external_id = ${q}`,
      ...(q.includes('@') ? [sql`email_key = ${emailKey(q)}`] : []),
    ];
    const lookUps = keys.map(
      (key, rank) =>
        sql`SELECT ${rank}::int AS rank, * FROM ${User} WHERE organization_id = ${organizationId} AND ${key}`,
    );
    const users = await this.database.read(organizationId, (manager) =>
      query<Row & { passes: boolean }>(
        manager,
        sql`SELECT ${filterOf(filter)} AS passes, ${columns} FROM (${join(lookUps, ' UNION ALL ')}) AS users
            ORDER BY rank LIMIT 1`,
      ),
    );
    return users.length > 0 ? users.filter(({ passes }) => passes) : undefined;
  }

  /** Undefined if this is not a small organization, or a small part of one. */
  private async findInSmall<Row>(search: Search, q: string, place: Place) {
    for (const words of queriesFor(q, search.organizationId, place.rank)) {
      const page = { rank: words.first, ...place };
      const find = (manager: EntityManager) =>
        searchSmall<Row>({ ...search, run: (statement) => query(manager, statement) }, words, page);
      const found = await this.database.read(search.organizationId, find, 'heavy');
      if (found?.length !== 0) return found;
    }
    return [];
  }

  /** All statements see the same rows, so nobody is found twice or left out because of a change in between. */
  private findInLarge<Row>(search: Search, q: string, place: Place) {
    return this.database.snapshot(search.organizationId, this.maxMs, async (manager) => {
      const scope = { ...search, run: withinTime(manager, this.maxMs) };
      for (const words of queriesFor(q, search.organizationId, place.rank)) {
        const found = await searchLarge(scope, words, { rank: words.first, ...place });
        if (found.length > 0) return load<Row>(scope, found);
      }
      return [];
    });
  }
}

const isPlace = (values: string[]) => values.length === 4 && /^\d{1,2}$/.test(values[0]);

const placeIn = ([rank, ...after]: string[]) => ({ rank: Number(rank), after: after as SearchPosition });

/** Runs statements within the time limit. Waiting for the connection does not count. */
function withinTime(manager: EntityManager, maxMs: number): SearchScope['run'] {
  const started = performance.now();
  return (statement) => {
    if (performance.now() - started > maxMs)
      throw new ServiceUnavailableException('The search takes too long. Search for a longer or rarer word.');
    return query(manager, statement);
  };
}
