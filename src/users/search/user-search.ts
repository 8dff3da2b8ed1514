import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { query, type Sql } from '../../database/sql';
import { type By, callerOf } from '../../http/caller';
import { validatedInput } from '../../http/input/validate';
import { decodeCursor, encodeCursor } from '../../pages/cursor';
import type { Page } from '../../pages/paginate';
import { USER_COLUMNS, USER_TEXT_COLUMNS, type UserText } from '../user/user-query';
import type { User } from '../user/user.entity';
import { serializeUser, type UserRecord } from '../user/user.serializer';
import { SearchUsersDto } from '../user/user.dto';
import { type FoundUser, type Position, Search } from './search';
import { type Rank, ranksOf, typoRanksOf } from './search-ranks';

type SearchInput = Pick<SearchUsersDto, 'q'> & Partial<SearchUsersDto>;

/**
 * The limit for each statement of a search. No statement begins after this time, so a search holds its connection for at most
 * twice as long.
 */
const MAX_MS = 500;

/** The last row of a page: the kind of its ranks, the index of its rank, and its position in the rank. */
type Cursor = [kind: 'words' | 'typos', rank: string, ...Position];

/**
 * Queries rank by rank and stops when the page is full, because ranking all matches of a common word is expensive. A
 * rank is ordered by name and the cursor contains the rank, so pages are stable and reach the last match.
 */
@Injectable()
export class UserSearch {
  /** @internal Nest constructs it. */
  constructor(private readonly database: Database) {}

  async search(by: By, input: SearchInput): Promise<Page<UserRecord>> {
    const { data, nextCursor } = await this.page<User>(USER_COLUMNS, by, input);
    return { data: data.map(serializeUser), nextCursor };
  }

  /** The same page with values as text, ready for a JSON response. */
  searchAsText(by: By, input: SearchInput): Promise<Page<UserText>> {
    return this.page(USER_TEXT_COLUMNS, by, input);
  }

  private async page<Row>(columns: Sql, by: By, input: SearchInput): Promise<Page<Row>> {
    const { organizationId } = callerOf(by);
    const { q, limit, cursor, role, active } = validatedInput(SearchUsersDto, input);
    const list = ['search', organizationId, q, role, ...(active === undefined ? [] : [active])];
    const from = cursor === undefined ? undefined : (decodeCursor(cursor, list, isPosition) as Cursor);
    // All statements see the same rows, so nobody is found twice or left out because of a change in between.
    return this.database.snapshot(organizationId, MAX_MS, async (manager) => {
      const search = new Search(withinTime(manager), organizationId, { role, active });
      let found: Found[] = [];
      if (from?.[0] !== 'typos') found = await nextOf(await ranksOf(q, search), 'words', limit + 1, from);
      if (from?.[0] === 'typos' || (!from && found.length === 0))
        found = await nextOf(await typoRanksOf(q, search), 'typos', limit + 1, from);
      const users = found.slice(0, limit);
      const last = users.at(-1)?.cursor;
      return {
        data: await search.load<Row>(
          users.map(({ id }) => id),
          columns,
        ),
        nextCursor: last && found.length > limit ? encodeCursor(last, list) : null,
      };
    });
  }
}

type Found = Pick<FoundUser, 'id'> & { cursor: Cursor };

/** The next users, rank by rank, until there are `count`. */
async function nextOf(ranks: Rank[], kind: Cursor[0], count: number, from?: Cursor): Promise<Found[]> {
  const [, first, ...position] = from ?? [];
  const found: Found[] = [];
  let after = position.length > 0 ? (position as Position) : undefined;
  for (let rank = Number(first ?? 0); rank < ranks.length && found.length < count; rank++) {
    for (const { id, nameKey, name } of await ranks[rank]({ after, limit: count - found.length }))
      found.push({ id, cursor: [kind, String(rank), nameKey, name, id] });
    after = undefined; // it applies to the first of these ranks
  }
  return found;
}

/** Runs statements within the time limit. Waiting for the connection does not count. */
function withinTime(manager: EntityManager): Search['run'] {
  const started = performance.now();
  return (statement) => {
    if (performance.now() - started > MAX_MS)
      throw new ServiceUnavailableException('The search takes too long. Search for more or longer words.');
    return query(manager, statement);
  };
}

const isPosition = (values: string[]) =>
  values.length === 5 && ['words', 'typos'].includes(values[0]) && /^\d{1,3}$/.test(values[1]);
