import { join, raw, type Sql, sql } from '../../platform/database/sql';
import { fold, foldName } from '../user/fold';
import { User } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { EMAIL_MARK, type QueryWord, queryWords, toSearchText } from './text';
import { mayHaveTypo, typoBeginning, typoBeginnings, typoExpression, typoPatterns } from './typos';

/**
 * The ranks of the result. With typos, names that begin with a single word come first. They are adjacent in the name
 * index, so a scan that happens to meet them could be long. Each later rank has one more misspelt word.
 */
const BEGINS = 0;
const STARTS = 1;
const INSIDE = 2;
const TYPOS = 3;

/** Up to this many matches in the sample of a large organization are few enough to read those of all ranks. */
const RARE = 3;

/** A search of users. The conditions are on a row of `user_search`. */
export interface Query {
  /** Whether a user matches. */
  filter: Sql;
  /** The rank of a user who matches. */
  rank: Sql;
  first: number;
  last: number;
  /** A condition for the index of texts, for the users of a rank or of all ranks; with `filter` it is exact. */
  index(rank?: number): Sql;
  /** Whether this rank and all later ones are read from the index together, by the matches of a sample in each rank. */
  isReadTogether(rank: number, counts: number[]): boolean;
  /** The conditions that a user has each word that may be misspelt, right or not; the longest word first. */
  misspelt?: Sql[];
  /**
   * For a rank with typos: the pairs of values for `pattern` and `rest` in the condition of `index()`, each of which is
   * looked up. If several words are misspelt, they are those of `misspelt[wordIndex]`, which should be a rare word.
   */
  likePatterns?(rank: number, wordIndex: number): [pattern: string, rest: string][];
  /** Beginnings of a name, an email or an id of the first rank; undefined if the first rank is like the others. */
  beginnings?: { names: string[]; email?: string; id?: string };
}

/** The queries from this rank on: for the words as they are typed and, if nobody matches these, with typos. */
export function* queriesFor(q: string, organizationId: string, from?: number): Generator<Query> {
  if (fold(q) === '') return; // it has only accents
  if (from === undefined || from < TYPOS) yield asTyped(q, organizationId);
  const misspelt = from === undefined || from >= TYPOS ? withTypos(q) : undefined;
  if (misspelt) yield misspelt;
}

function asTyped(q: string, organizationId: string): Query {
  const words = queryWords(q);
  const insideSql = all(words.map(({ inside }) => contains(inside)));
  const startSql = all(words.map(({ start }) => contains(start)));
  const begins = beginsWith(q, organizationId);
  return {
    filter: isPartOfId(q) ? sql`(${begins} OR ${insideSql})` : insideSql,
    rank: sql`CASE WHEN ${begins} THEN ${literal(BEGINS)} WHEN ${startSql} THEN ${literal(STARTS)} ELSE ${literal(INSIDE)} END`,
    first: BEGINS,
    last: INSIDE,
    // Search text has no operator of LIKE.
    index: (rank) =>
      all(words.map(({ start, inside }) => sql`text LIKE ${`%${rank === STARTS ? start : inside}%`}`)),
    isReadTogether: (rank, counts) => counts.slice(rank).reduce((sum, count) => sum + count) <= RARE,
    beginnings: { names: [foldName(q)], email: emailKey(q), ...(isPartOfId(q) && { id: q.toLowerCase() }) },
  };
}

/** Undefined if no word is long enough to have a typo. */
function withTypos(q: string): Query | undefined {
  const words = queryWords(q);
  const long = byLength(words).filter(({ letters }) => mayHaveTypo(letters));
  if (long.length === 0) return undefined;
  // `|| ''` keeps it from the index, which takes long to answer a regular expression.
  const spelledSql = ({ inside, letters }: QueryWord) =>
    sql`(${contains(inside)} OR (text || '') ~ ${typoExpression(letters)})`;
  const right = long.map(({ inside }) => sql`${contains(inside)}::int`);
  const rank = sql`(${literal(TYPOS + long.length)} - (${join(right, ' + ')}))`;
  const single = words.length === 1 ? words[0].letters : undefined;
  const [spelled, others] = [true, false].map((is) => words.filter((word) => long.includes(word) === is));
  return {
    // Regular expressions come last, because they take longest: within an OR, the planner keeps the order.
    filter: all([...others.map(({ inside }) => contains(inside)), ...spelled.map(spelledSql)]),
    rank: single
      ? sql`CASE WHEN name_key ~ ${typoBeginning(single)} THEN ${literal(TYPOS)} ELSE ${rank} END`
      : rank,
    first: single ? TYPOS : TYPOS + 1,
    last: TYPOS + long.length,
    index: () => sql`text LIKE pattern AND text LIKE rest`,
    isReadTogether: (rank) => rank > TYPOS + 1,
    misspelt: long.map(spelledSql),
    likePatterns: (rank, wordIndex) =>
      rank === TYPOS + 1 ? patternsOfOne(words, long) : patternsOfMore(words, long, long[wordIndex]),
    beginnings: single ? { names: typoBeginnings(single) } : undefined,
  };
}

/** The patterns of users with one misspelt word: each long word may be it, and the others are right. */
const patternsOfOne = (words: QueryWord[], long: QueryWord[]) =>
  long.flatMap((word) => withLongest(typoPatterns(word.letters), words, [word]));

/** The patterns of users with more: this word is misspelt or, if there are more than two, perhaps right. */
function patternsOfMore(words: QueryWord[], long: QueryWord[], { letters, inside }: QueryWord) {
  return withLongest([...(long.length > 2 ? [`%${inside}%`] : []), ...typoPatterns(letters)], words, long);
}

/**
 * How many characters of another word the index looks up beside each of hundreds of patterns. It takes time for every
 * three of them: with all 45 of a word of six rare letters, a statement took 380 ms instead of 160.
 */
const MAX_BESIDE = 12;

/** Pairs each pattern with the beginning of the longest word, leaving some words out. */
function withLongest(patterns: string[], words: QueryWord[], butFor: QueryWord[]): [string, string][] {
  const [longest] = byLength(words).filter((word) => !butFor.includes(word));
  const beside = longest?.inside.slice(0, MAX_BESIDE) ?? '';
  return patterns.map((pattern) => [pattern, `%${beside}%`]);
}

const byLength = (words: QueryWord[]): QueryWord[] =>
  words.toSorted((a, b) => b.inside.length - a.inside.length);

/** The first 12 characters of an id and more. */
const isPartOfId = (q: string): boolean => /^usr_[0-9a-hjkmnp-tv-z]{8,26}$/i.test(q);

/**
 * The name, the email or the id begins with the text. The accents of emails count, but search text has none, so the
 * email itself is compared as well.
 */
const beginsWith = (q: string, organizationId: string): Sql => sql`(
  starts_with(name_key, ${foldName(q)})
  ${isPartOfId(q) ? sql`OR starts_with(user_id, ${q.toLowerCase()})` : sql``}
  OR strpos(text, ${EMAIL_MARK + toSearchText(q)}) > 0 AND
    (SELECT starts_with(email_key, ${emailKey(q)}) FROM ${User} WHERE organization_id = ${organizationId} AND id = user_id))`;

const contains = (text: string): Sql => sql`(strpos(text, ${text}) > 0)`;

const all = (conditions: Sql[]): Sql =>
  conditions.length > 0 ? sql`(${join(conditions, ' AND ')})` : sql`true`;

const literal = (rank: number): Sql => raw(String(rank));
