import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { decodeCursor, encodeCursor } from '../../pages/cursor';
import type { Page } from '../../pages/paginate';
import { type By, callerOf } from '../../http/caller';
import { judgeOrThrow } from '../../http/input/judge';
import { Majority } from './majority';
import { SearchQuery, type Tier } from './search-query';
import { type FoundUser, type Position, SearchRows } from './search-rows';
import type { User } from '../user.entity';
import { SearchUsersDto } from '../users.dto';

type SearchInput = Pick<SearchUsersDto, 'q'> & Partial<SearchUsersDto>;

/**
 * Queries rank by rank and stops when the page is full, because ranking all matches of a common word is expensive. A
 * rank is ordered by name and the cursor contains the rank, so pages are stable and reach the last match.
 */
@Injectable()
export class UserSearch {
  private readonly majority: Majority;

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {
    this.majority = new Majority(dataSource);
  }

  async search(by: By, input: SearchInput): Promise<Page<User>> {
    const { organizationId } = callerOf(by);
    const { q, role, limit, cursor } = judgeOrThrow(SearchUsersDto, input);
    const isMajority = await this.majority.has(organizationId);
    const rows = new SearchRows(this.dataSource, organizationId, role, isMajority);
    const query = new SearchQuery(this.dataSource, organizationId, q, rows);
    const list = ['search', organizationId, q, role];
    if (cursor !== undefined) {
      const [kind, tier, ...after] = decodeCursor(cursor, list, isPosition);
      const tiers = kind === 'typos' ? await query.typoTiers() : query.tiers();
      return readPage(kind, tiers, limit, list, Number(tier), after as Position);
    }
    const found = await readPage('words', query.tiers(), limit, list);
    return found.data.length > 0 ? found : readPage('typos', await query.typoTiers(), limit, list);
  }
}

/** A cursor contains the kind of tiers, the index of the tier, and the name and id of its last row. */
const isPosition = (values: string[]) =>
  values.length === 4 && ['words', 'typos'].includes(values[0]) && /^\d{1,3}$/.test(values[1]);

async function readPage(
  kind: string,
  tiers: Tier[],
  limit: number,
  list: unknown[],
  from = 0,
  after?: Position,
): Promise<Page<User>> {
  const found: { tier: number; user: FoundUser }[] = [];
  for (let tier = from; tier < tiers.length && found.length <= limit; tier++) {
    const users = await tiers[tier](tier === from ? after : undefined, limit + 1 - found.length);
    found.push(...users.map((user) => ({ tier, user })));
  }
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last;
  return {
    data: rows.map(({ user }) => user),
    nextCursor: hasMore
      ? encodeCursor([kind, String(last.tier), last.user.nameWords, last.user.id], list)
      : null,
  };
}
