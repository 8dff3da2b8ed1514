import { type Sql, sql } from '../../database/sql';
import { type From, matches, matchesInSmall, type RankedUser, survey } from './matching';
import type { FoundUser, RankPage, Search } from './search';
import { all, FALSE, type Match, not } from './search-conditions';

/** The number of names that shows how common the matches are. Very common matches fill the page from these. */
const SURVEY = 400;

/** At most this many matches are read from the index and sorted for one page, unless a long walk does not fill it. */
const MAX_MATCHES = 20_000;

/** The longest walk if more users match than that, and its first part, which shows whether the whole would fill the page. */
const LONG_WALK = 20_000;
const FIRST_STEPS = 4_000;

/** Up to this many matches in the survey, reading all of them from the index is fast. */
const RARE = 3;

/** A walk that is expected to be longer than this takes longer than reading the matches from the index. */
const MAX_EXPECTED_WALK = 3_000;

/** The words of a query, or their corrections, and an SQL expression for the rank of a user that matches them. */
interface RankedWords {
  /** A match for each word. A user of any rank meets all of them. */
  words: Match[];
  /** Stricter matches for single ranks. */
  ofRank?: Match[][];
  rank: Sql;
  /** A condition that holds for the users of earlier ranks. */
  earlier?: Sql;
}

/**
 * The users that match all words. If matches are common, it walks over the names in their order until the page is full; otherwise it
 * reads the matches from the index and sorts them.
 */
export class MatchRanks {
  private read?: RankedUser[];
  /** Whether a rank and all later ones have too many matches to read them together. */
  private areMany = false;
  private readonly filters: Sql[];
  private readonly isLater: Sql;

  constructor(
    private readonly search: Search,
    private readonly query: RankedWords,
  ) {
    this.filters = query.words.map(({ filter }) => filter);
    this.isLater = not(query.earlier ?? FALSE);
  }

  /** The next users of the rank. */
  async next(rank: number, page: RankPage): Promise<FoundUser[]> {
    const from = { rank, ...page };
    if (!this.read && (await this.search.isSmall())) {
      const condition = all([...this.filters, this.isLater]);
      this.read = await matchesInSmall(this.search, condition, this.query.rank, from);
    }
    return this.read
      ? this.read.filter((user) => user.rank === rank).slice(0, page.limit)
      : this.nextOfMany(from);
  }

  private async nextOfMany(from: From): Promise<FoundUser[]> {
    const { words, rank: rankSql, ofRank = [] } = this.query;
    const { rank, limit } = from;
    const condition = all([...this.filters, this.isLater]);
    const seen = await survey(this.search, condition, rankSql, this.filters, from, SURVEY);
    if (seen.found.length === limit) return seen.found;
    // A word that most users have is slow to look up and excludes few.
    const isCommon = (i: number) => seen.counts[i] > SURVEY / 2;
    const match = this.indexed(ofRank[rank] ?? words, isCommon, rank);
    if (seen.matches <= RARE) {
      if (!this.areMany) this.read = await this.readAll(from, isCommon);
      if (this.read) return this.next(rank, from);
      this.areMany = true;
      // This rank alone may have few matches, if the index has a pattern for it.
      const own = ofRank[rank] && (await matches(this.search, match, rankSql, from, MAX_MATCHES));
      return own ?? this.readMany(match, from);
    }

    const expected = (SURVEY * limit) / Math.max(seen.found.length, 1 / 2);
    if (expected <= MAX_EXPECTED_WALK) {
      const walked = await this.search.walk(match.filter, 2 * expected, from);
      if (walked.length === limit) return walked;
    }
    return (await matches(this.search, match, rankSql, from, MAX_MATCHES)) ?? this.readMany(match, from);
  }

  /** Reads the users of this and all later ranks; undefined if they are many. */
  private readAll(from: From, isCommon: (i: number) => boolean): Promise<RankedUser[] | undefined> {
    const { words, rank } = this.query;
    return matches(this.search, this.indexed(words, isCommon), rank, from, MAX_MATCHES);
  }

  /** Reads a rank of many users. A walk over the names finds some soon, unless all matches come late. */
  private async readMany(match: IndexedMatch, from: From): Promise<FoundUser[]> {
    for (const length of [FIRST_STEPS, LONG_WALK]) {
      const walked = await this.search.walk(match.filter, length, from);
      if (walked.length === from.limit) return walked;
      if (walked.length * (LONG_WALK / FIRST_STEPS) < from.limit) break;
    }
    return (await matches(this.search, match, this.query.rank, from, Infinity))!;
  }

  private indexed(words: Match[], isCommon: (i: number) => boolean, rank?: number): IndexedMatch {
    const isOfRank = rank === undefined ? [] : [sql`${this.query.rank} = ${rank}`];
    const others = [this.isLater, ...isOfRank];
    const indexed = words.flatMap(({ index, indexIfCommon }, i) => {
      const condition = isCommon(i) ? indexIfCommon : index;
      return condition ? [condition] : [];
    });
    const filters = words.map(({ filter }) => filter);
    return {
      filter: all([...filters, ...others]),
      index: all(indexed.length > 0 ? indexed : words.map(({ index }) => index)),
      rest: all([...filters.filter((_filter, i) => isCommon(i)), ...others]),
    };
  }
}

/** Several matches combined. `filter` is equivalent to `index` and `rest` together. */
interface IndexedMatch {
  /** For rows that have been read. */
  filter: Sql;
  /** For the index. */
  index: Sql;
  /** The part that the index does not answer. */
  rest: Sql;
}
