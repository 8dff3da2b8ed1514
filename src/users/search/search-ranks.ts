import {
  all,
  begins,
  type Condition,
  contains,
  containsAny,
  containsStart,
  type IndexedMatch,
  type Match,
  not,
} from './search-conditions';
import type { FoundUser, Page, SearchRows } from './search-rows';
import type { QueryWord } from './search-text';
import type { Correction } from './vocabulary';

/** A rank of the result: its next users, by name and id. */
export interface Rank {
  next(page: Page): Promise<FoundUser[]>;
}

/** The number of names that shows how common the matches are. Very common matches fill the page from these. */
const SURVEY = 400;

/** The length of the walk where more users match than are read from the index at first. */
const LONG_WALK = 20_000;

/** Up to this many matches in the survey, reading all of them from the index is fast. */
const RARE = 3;

/** A walk that is expected to be longer than this takes longer than reading the matches from the index. */
const MAX_EXPECTED_WALK = 3_000;

/** The user with this email, or users with this id. */
export class ExactRank implements Rank {
  constructor(
    private readonly rows: SearchRows,
    private readonly condition: Condition | undefined,
  ) {}

  async next(page: Page): Promise<FoundUser[]> {
    return this.condition ? ((await this.rows.withId(this.condition, page)) ?? []) : [];
  }
}

/** Users with a name or an email that begins with one of the texts. */
export class BeginningRank implements Rank {
  /** No text begins with two of these, or it would be found twice. */
  private readonly prefixes: string[];

  constructor(
    private readonly rows: SearchRows,
    prefixes: string[],
  ) {
    this.prefixes = prefixes.filter(
      (prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)),
    );
  }

  async next(page: Page): Promise<FoundUser[]> {
    const few = await this.rows.beginning(this.prefixes, page);
    if (few) return few;
    // If the next names do not fill the page, most names that begin so come later, and their emails with them.
    const next = await this.rows.walk(begins(this.prefixes), SURVEY, page);
    return next.length === page.limit ? next : this.rows.allBeginning(this.prefixes, page);
  }
}

/** The words of a query, or what may have been meant, in ranks that one SQL expression tells apart. */
interface RankedWords {
  /** What a user of any of these ranks meets, a match for each word. */
  words: Match[];
  /** The same for each rank by itself, where that is more. */
  ofRank?: Match[][];
  rank: Condition;
  /** What users of earlier ranks meet. */
  earlier?: Condition;
}

/**
 * Users who match all words. Common matches are met by walking over the names in their order; the others are read from the
 * index and sorted.
 */
export class Matches {
  private read?: FoundUser[];
  private readonly later: Condition;

  constructor(
    private readonly rows: SearchRows,
    private readonly query: RankedWords,
  ) {
    this.later = query.earlier ? not(query.earlier) : () => 'true';
  }

  async next(rank: number, page: Page): Promise<FoundUser[]> {
    const { words, rank: rankSql, ofRank = [] } = this.query;
    if (this.read) return this.read.filter((user) => user.rank === rank).slice(0, page.limit);
    if (await this.rows.isSmall()) return this.readAll(rank, page, () => false);

    const filters = words.map(({ filter }) => filter);
    const from = { rank, ...page };
    const { found, matches, counts } = await this.rows.survey(
      all([...filters, this.later]),
      rankSql,
      filters,
      from,
      SURVEY,
    );
    if (found.length === page.limit) return found;
    // The index takes long to look up what most users have, which excludes few.
    const isCommon = (i: number) => counts[i] > SURVEY / 2;
    if (matches <= RARE) return this.readAll(rank, page, isCommon);

    const match = this.indexed(ofRank[rank] ?? words, isCommon, rank);
    const expected = (SURVEY * page.limit) / Math.max(found.length, 1 / 2);
    if (expected <= MAX_EXPECTED_WALK) {
      const walked = await this.rows.walk(match.filter, 2 * expected, page);
      if (walked.length === page.limit) return walked;
    }
    const read = await this.rows.matches(match, rankSql, from);
    return read ?? this.readMany(match, from);
  }

  /** The users of all ranks from here on, of which there are few. */
  private async readAll(rank: number, page: Page, isCommon: (i: number) => boolean): Promise<FoundUser[]> {
    const { words, rank: rankSql } = this.query;
    this.read = await this.rows.matches(this.indexed(words, isCommon), rankSql, { rank, ...page });
    if (this.read) return this.next(rank, page);
    return this.readMany(this.indexed(words, isCommon, rank), { rank, ...page });
  }

  /** There are many users of the rank, so the names soon show some of them, unless all stand far behind. */
  private async readMany(match: IndexedMatch, from: { rank: number } & Page): Promise<FoundUser[]> {
    const walked = await this.rows.walk(match.filter, LONG_WALK, from);
    if (walked.length === from.limit) return walked;
    return (await this.rows.matches(match, this.query.rank, from, Infinity))!;
  }

  private indexed(words: Match[], isCommon: (i: number) => boolean, rank?: number): IndexedMatch {
    const { rank: rankSql } = this.query;
    const isOfRank: Condition = (bind) => (rank === undefined ? 'true' : `${rankSql(bind)} = ${rank}`);
    const indexed = words.flatMap(({ index, indexIfCommon }, i) => {
      const condition = isCommon(i) ? indexIfCommon : index;
      return condition ? [condition] : [];
    });
    const filters = words.map(({ filter }) => filter);
    const others = [this.later, isOfRank];
    return {
      filter: all([...filters, ...others]),
      index: all(indexed.length > 0 ? indexed : words.map(({ index }) => index)),
      rest: all([...filters.filter((_filter, i) => isCommon(i)), ...others]),
    };
  }
}

export class MatchRank implements Rank {
  constructor(
    private readonly matches: Matches,
    private readonly rank: number,
  ) {}

  next(page: Page): Promise<FoundUser[]> {
    return this.matches.next(this.rank, page);
  }
}

/** The ranks of users who match the words as typed. */
export function ranksOf(
  words: QueryWord[],
  whole: string,
  exact: Condition | undefined,
  rows: SearchRows,
): Rank[] {
  const starts = words.map(({ start }) => containsStart(start));
  const matches = new Matches(rows, {
    words: words.map(({ inside }) => contains(inside)),
    ofRank: [starts],
    rank: (bind) => `CASE WHEN ${all(starts.map(({ filter }) => filter))(bind)} THEN 0 ELSE 1 END`,
    earlier: begins([whole]),
  });
  return [
    new ExactRank(rows, exact), // without an exact match too, so that the ranks keep their numbers in cursors
    new BeginningRank(rows, [whole]),
    new MatchRank(matches, 0),
    new MatchRank(matches, 1),
  ];
}

/**
 * The ranks of users who match the words with typos, fewest typos first. Those of a single word begin with the names that
 * begin with what may have been meant: they stand side by side in the order of names, so a walk might be long.
 */
export function typoRanksOf(corrections: Correction[], rows: SearchRows): Rank[] {
  const misspelt = corrections.filter(({ candidates }) => candidates.length > 0);
  if (misspelt.length === 0) return [];
  const meant = corrections.map(({ word, candidates }) =>
    candidates.length > 0
      ? containsAny([word.inside, ...candidates.map(({ text }) => text)])
      : contains(word.inside),
  );
  if (corrections.length === 1) {
    const prefixes = misspelt[0].candidates.map(({ letters }) => letters);
    const others = new Matches(rows, { words: meant, rank: () => '0', earlier: begins(prefixes) });
    return [new BeginningRank(rows, prefixes), new MatchRank(others, 0)];
  }
  const typos: Condition = (bind) =>
    corrections.map(({ word }) => `(NOT ${contains(word.inside).filter(bind)})::int`).join(' + ');
  const matches = new Matches(rows, { words: meant, rank: (bind) => `(${typos(bind)})` });
  return misspelt.map((_word, i) => new MatchRank(matches, i + 1));
}
