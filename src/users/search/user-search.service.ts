import { Injectable, Optional } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { isId } from '../../platform/database/id';
import { join, query, sql } from '../../platform/database/sql';
import { type By, callerOf } from '../../platform/http/caller';
import { validatedInput } from '../../platform/http/input/validate';
import { ExpiringMap } from '../../platform/rate-limit/expiring-map';
import { decodeCursor, encodeCursor } from '../../platform/pages/cursor';
import type { Page } from '../../platform/pages/paginate';
import { DirectoryAttributes } from '../query/directory-attributes';
import { type Metadata, User, USER_COLUMNS } from '../user/user.entity';
import { filterOf, isFiltered, rolesOf } from '../query/user.filter';
import { emailKey } from '../user/user.keys';
import { completePage } from '../query/complete-page';
import { userOfText } from '../user/user.serializer';
import type { UserRecord, UserText } from '../user/user.view';
import { load, searchLarge } from './large';
import type { SearchPosition, RankedUser, RankPage, SearchScope, Search } from './page';
import { queriesFor } from './query';
import { SearchUsersDto } from './user-search.dto';
import { SearchTime } from './search-time';
import { searchSmall } from './small';

type SearchInput = Pick<SearchUsersDto, 'q'> & Partial<SearchUsersDto>;

/** A page; without a rank it is the first one. */
type Place = Omit<RankPage, 'rank'> & { rank?: number };

/**
 * The time that a search may take, as typed and with typos together; waiting for a share of the connections does not
 * count. Among 100,000 users, ten misspelt words take 0.3 to 0.5 s of CPU, and a busy machine needs three times that.
 */
const MAX_MS = 1_500;

/** For so long an organization that was small is not counted again. */
const SMALL_FOR_MS = 60_000;

/**
 * Up to so many words that may be misspelt take at most 0.1 s of CPU in the 4 MB of a small organization. A transaction
 * that limits the statement for more words takes 1 ms: a third of a search of 50 users.
 */
const FEW_MISSPELT = 2;

/** Finds users by words of their name, email and metadata. `Values` is the type of that, as in `UsersService`. */
@Injectable()
export class UserSearch<Values extends object = Metadata> {
  private readonly small = new ExpiringMap<string, true>(SMALL_FOR_MS);

  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    private readonly directory: DirectoryAttributes,
    /** @internal */
    @Optional() readonly maxMs: number = MAX_MS,
  ) {}

  async search(by: By, input: SearchInput): Promise<Page<UserRecord<Values>>> {
    const { data, nextCursor } = await this.searchAsText(by, input);
    return { data: data.map((row) => userOfText<Values>(row)), nextCursor };
  }

  /** The same page with values as text, ready for a JSON response. */
  async searchAsText(by: By, input: SearchInput): Promise<Page<UserText>> {
    const { organizationId } = callerOf(by);
    const { q, limit, cursor, role, active, include } = validatedInput(SearchUsersDto, input);
    const list = [
      'search',
      organizationId,
      q,
      rolesOf(role)?.join(),
      ...(active === undefined ? [] : [active]),
    ];
    const search = { organizationId, filter: { role, active } };
    const directory = include && this.directory;
    const place = {
      ...(cursor !== undefined && placeIn(decodeCursor(cursor, list, isPlace))),
      limit: limit + 1,
    };
    const complete = <Row extends UserText>(page: Page<Row>, cursorAfter: (row: Row) => string) =>
      completePage(this.database, page, { ...search, directory, cursorAfter });
    const named = cursor === undefined ? await this.findNamed(search, q) : undefined;
    if (named) return complete({ data: named, nextCursor: null }, ({ id }) => id); // one user is a whole page
    const time = new SearchTime(this.maxMs);
    const found =
      (await this.findInSmall(search, q, place, time)) ?? (await this.findInLarge(search, q, place, time));
    const data = found.slice(0, limit);
    const cursorAfter = ({ rank, nameKey, name, id }: RankedUser) =>
      encodeCursor([String(rank), nameKey, name, id], list);
    const nextCursor = found.length > limit ? cursorAfter(data.at(-1)!) : null;
    return complete({ data, nextCursor }, cursorAfter);
  }

  /**
   * The user whose id, external id or email is the query, in this order, or nobody if the filter excludes it; undefined
   * if there is none.
   */
  private async findNamed({ organizationId, filter }: Search, q: string): Promise<UserText[] | undefined> {
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
      query<UserText & { passes: boolean }>(
        manager,
        sql`SELECT ${filterOf(filter)} AS passes, ${USER_COLUMNS.selectText} FROM (${join(lookUps, ' UNION ALL ')}) AS users
            ORDER BY rank LIMIT 1`,
      ),
    );
    return users.length > 0 ? users.filter(({ passes }) => passes) : undefined;
  }

  /**
   * Undefined if this is not a small organization, or a small part of one. The server limits the time of many regular
   * expressions. Words as they are typed and few typos are found fast in so little text, without a transaction.
   */
  private async findInSmall(search: Search, q: string, place: Place, time: SearchTime) {
    const { organizationId } = search;
    for (const words of queriesFor(q, organizationId, place.rank)) {
      const page = { rank: words.first, ...place };
      const wasSmall = this.small.get(organizationId) ?? false;
      const find = (run: SearchScope['run']) => searchSmall({ ...search, run }, words, page, wasSmall);
      const found =
        (words.misspelt ?? []).length > FEW_MISSPELT
          ? await this.snapshot(organizationId, time, find)
          : await this.database.read(organizationId, (manager) => find(time.runner(manager)), 'heavy');
      if (found && !wasSmall && !isFiltered(search.filter)) this.small.set(organizationId, true);
      if (found?.length !== 0) return found;
    }
    return [];
  }

  /** All statements see the same rows, so nobody is found twice or left out because of a change in between. */
  private findInLarge(search: Search, q: string, place: Place, time: SearchTime) {
    return this.snapshot(search.organizationId, time, async (run) => {
      const scope = { ...search, run };
      for (const words of queriesFor(q, search.organizationId, place.rank)) {
        const found = await searchLarge(scope, words, { rank: words.first, ...place });
        if (found.length > 0) return load(scope, found);
      }
      return [];
    });
  }

  /** Reads within what is left of the time. */
  private snapshot<Result>(
    organizationId: string,
    time: SearchTime,
    work: (run: SearchScope['run']) => Promise<Result>,
  ): Promise<Result> {
    const limitMs = time.leftMs;
    return this.database.snapshot(organizationId, limitMs, (manager) => work(time.runner(manager, limitMs)));
  }
}

const isPlace = (values: string[]) => values.length === 4 && /^\d{1,2}$/.test(values[0]);

const placeIn = ([rank, ...after]: string[]) => ({ rank: Number(rank), after: after as SearchPosition });
