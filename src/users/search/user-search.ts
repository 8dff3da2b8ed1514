import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { Lanes } from '../../database/lanes';
import { decodeCursor, encodeCursor } from '../../pages/cursor';
import type { Page } from '../../pages/paginate';
import { type By, callerOf } from '../../http/caller';
import { judgeOrThrow } from '../../http/input/judge';
import { type Condition, LAST_CHARACTER } from './search-conditions';
import { type Rank, ranksOf, typoRanksOf } from './search-ranks';
import { type FoundUser, type Position, SearchRows } from './search-rows';
import { fold, queryWords } from './search-text';
import { type Query, searchTransaction } from './search-transaction';
import { correctionsOf } from './vocabulary';
import { TEXT_COLUMNS, USER_COLUMNS, type UserText } from '../user-columns';
import type { User } from '../user.entity';
import { recordOf, type UserRecord } from '../user.record';
import { emailKey, type Role } from '../user.fields';
import { SearchUsersDto } from '../users.dto';

type SearchInput = Pick<SearchUsersDto, 'q'> & Partial<SearchUsersDto>;

/** The whole of an id or its beginning, of 12 characters and more. */
const ID = /^usr_[0-9a-hjkmnp-tv-z]{8,26}$/;

/**
 * Queries rank by rank and stops when the page is full, because ranking all matches of a common word is expensive. A
 * rank is ordered by name and the cursor contains the rank, so pages are stable and reach the last match.
 */
@Injectable()
export class UserSearch {
  /** @internal Nest constructs it. */
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  async search(by: By, input: SearchInput): Promise<Page<UserRecord>> {
    const { data, nextCursor } = await this.page<User>(USER_COLUMNS, by, input);
    return { data: data.map(recordOf), nextCursor };
  }

  /** The same page with values as text, ready for a JSON response. */
  searchAsText(by: By, input: SearchInput): Promise<Page<UserText>> {
    return this.page(TEXT_COLUMNS, by, input);
  }

  private async page<Row>(columns: string, by: By, input: SearchInput): Promise<Page<Row>> {
    const { organizationId } = callerOf(by);
    const { q, role, limit, cursor } = judgeOrThrow(SearchUsersDto, input);
    const list = ['search', organizationId, q, role];
    const [kind, rank, ...after] = cursor === undefined ? [] : decodeCursor(cursor, list, isPosition);
    const read = async (query: Query) => {
      const search = new Search(this.dataSource, query, organizationId, q, role, columns);
      const from = kind === undefined ? undefined : { rank: Number(rank), after: after as Position };
      const found =
        kind === 'typos' ? undefined : await readPage('words', await search.ranks(), limit, list, from);
      return found && (kind || found.data.length > 0)
        ? found
        : readPage('typos', await search.typoRanks(), limit, list, from);
    };
    const page = await this.lanes.run('heavy', organizationId, () =>
      searchTransaction(this.dataSource, read),
    );
    return page as Page<FoundUser & Row>;
  }
}

/** The ranks of one query. */
class Search {
  constructor(
    private readonly dataSource: DataSource,
    private readonly query: Query,
    private readonly organizationId: string,
    private readonly q: string,
    private readonly role: Role | undefined,
    private readonly columns: string,
  ) {}

  async ranks(): Promise<Rank[]> {
    if (fold(this.q) === '') return []; // the query contains only accents
    const exact = await this.exact();
    return ranksOf(queryWords(this.q), this.q, exact, this.rows(exact));
  }

  async typoRanks(): Promise<Rank[]> {
    const corrections = await correctionsOf(
      this.dataSource,
      this.query,
      this.organizationId,
      queryWords(this.q),
    );
    return typoRanksOf(corrections, this.rows());
  }

  /** The condition for the ids of the users that the query names exactly. */
  private async exact(): Promise<Condition | undefined> {
    const prefix = this.q.toLowerCase();
    if (ID.test(prefix)) return (bind) => `(id >= ${bind(prefix)} AND id < ${bind(prefix + LAST_CHARACTER)})`;
    const id = this.q.includes('@') ? await this.rows().idOf(emailKey(this.q)) : undefined;
    return id === undefined ? undefined : (bind) => `id = ${bind(id)}`;
  }

  private rows(exact?: Condition): SearchRows {
    const others: Condition = exact ? (bind) => `NOT ${exact(bind)}` : () => 'true';
    return new SearchRows(this.dataSource, this.query, this.organizationId, this.role, others, this.columns);
  }
}

/** A cursor contains the kind of ranks, the index of the rank, and the position of its last row. */
const isPosition = (values: string[]) =>
  values.length === 5 && ['words', 'typos'].includes(values[0]) && /^\d{1,3}$/.test(values[1]);

async function readPage(
  kind: string,
  ranks: Rank[],
  limit: number,
  list: unknown[],
  from: { rank: number; after?: Position } = { rank: 0 },
): Promise<Page<FoundUser>> {
  const found: { rank: number; user: FoundUser }[] = [];
  for (let rank = from.rank; rank < ranks.length && found.length <= limit; rank++) {
    const users = await ranks[rank].next({
      after: rank === from.rank ? from.after : undefined,
      limit: limit + 1 - found.length,
    });
    found.push(...users.map((user) => ({ rank, user })));
  }
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last;
  return {
    data: rows.map(({ user }) => user),
    nextCursor: hasMore
      ? encodeCursor([kind, String(last.rank), last.user.nameKey, last.user.name, last.user.id], list)
      : null,
  };
}
