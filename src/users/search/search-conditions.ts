import { escapeLike, PUNCTUATION } from './search-text';

export interface Bind {
  /** Adds a value to the parameters and returns its placeholder. */
  (value: unknown): string;
  /** The qualified name of a table or function of this service. */
  nameOf(name: string): string;
}

/** A condition on a row of users. */
export interface Condition {
  sql: (bind: Bind) => string;
  /** The same for a row that was found already, without the parts that only serve an index. */
  filterSql: (bind: Bind) => string;
  /** Whether an index can find the rows that meet it. */
  indexed: boolean;
}

export const where = (
  sql: Condition['sql'],
  indexed = false,
  filterSql: Condition['filterSql'] = sql,
): Condition => ({ sql, filterSql, indexed });

/** Every text that begins with a prefix sorts before the prefix followed by this character. */
export const LAST_CHARACTER = '\u{10FFFF}';

// LIKE extracts trigrams in every locale from three letters in a row, or from the beginning or end of a word.
const HAS_TRIGRAM = / [a-z0-9]|[a-zA-Z0-9]{3}|[a-zA-Z0-9]{2}[^\p{L}\p{N}]/u;

/** A pair that is in the index of pairs; see the migration that creates it. */
const INDEXED_PAIR = /^(?=.*[^0-9a-hjkmnp-tv-z])\S\S$/u;

/** The row contains the text literally. */
export function contains(part: string): Condition {
  const text = part.replace(/[.@_-]/g, (mark) => PUNCTUATION[mark]);
  const filter = (bind: Bind) => `strpos(search_text, ${bind(text)}) > 0`;
  // A sub-select hides the value from the planner, whose estimate is worse with the value than without.
  if (HAS_TRIGRAM.test(text)) {
    const like = (bind: Bind) => `search_text LIKE (SELECT ${bind(`%${escapeLike(text)}%`)})`;
    return where(like, true, filter);
  }
  const letters = [...text];
  const pairs = letters
    .slice(1)
    .map((letter, i) => letters[i] + letter)
    .filter((pair) => INDEXED_PAIR.test(pair));
  // Not LIKE, which would read the whole index if there is no trigram.
  if (pairs.length === 0) return where(filter);
  const indexed = (bind: Bind) => `${bind.nameOf('ums_pairs')}(search_text) @> ${bind(pairs)}::text[]`;
  return where((bind) => `(${filter(bind)} AND ${indexed(bind)})`, true, filter);
}

/** The words of a marked text, each with the spaces next to it, which are part of its trigrams. */
export function partsOf(text: string): string[] {
  const words = text.split(' ');
  return words.flatMap((word, i) =>
    word ? [`${i > 0 ? ' ' : ''}${word}${i < words.length - 1 ? ' ' : ''}`] : [],
  );
}

/** The row contains each of these words; an index looks up only their selective parts. */
export function containsSelectively(
  words: string[],
  isSelective: (part: string, i: number) => boolean,
): Condition[] {
  let i = 0;
  const conditions = words.map((word) => {
    const parts = partsOf(word);
    const selective = parts.filter((part) => isSelective(part, i++));
    const whole = contains(word);
    return selective.length === parts.length
      ? whole
      : all([...selective.map(contains), where(whole.filterSql)]);
  });
  return all(conditions).indexed ? conditions : words.map(contains);
}

/** The row contains one of these texts, which consist of letters and the spaces that mark words. */
export function containsAny(texts: string[]): Condition {
  const conditions = texts.map(contains);
  const indexed = conditions.every((condition) => condition.indexed);
  // One regular expression takes one index lookup, several patterns take one each.
  if (texts.every((text) => HAS_TRIGRAM.test(text))) {
    return where((bind) => `search_text ~ (SELECT ${bind(texts.join('|'))})`, indexed);
  }
  return joined(conditions, ' OR ', indexed);
}

/** The name or the email begins with one of these marked texts. */
export const begins = (prefixes: string[]): Condition =>
  where(
    (bind) =>
      `(${prefixes
        .map((prefix) => [bind(prefix), bind(prefix + LAST_CHARACTER)])
        .map(
          ([from, to]) =>
            `name_words >= ${from} AND name_words < ${to} OR email_words >= ${from} AND email_words < ${to}`,
        )
        .join(' OR ')})`,
  );

/** The name has the same `ums_initial()` as this one; see the migration that creates the function. */
export const hasInitialOf = (nameWords: string): Condition =>
  where((bind) => {
    const initial = bind.nameOf('ums_initial');
    return `${initial}(name_words) = ${initial}(${bind(nameWords)})`;
  });

/** Every condition holds. One indexed condition is enough for an index to find the rows. */
export const all = (conditions: Condition[]): Condition =>
  conditions.length === 0
    ? where(() => 'true')
    : joined(
        conditions,
        ' AND ',
        conditions.some(({ indexed }) => indexed),
      );

/** None of the conditions holds. */
export const none = (...conditions: Condition[]): Condition =>
  where((bind) => conditions.map(({ filterSql }) => `NOT (${filterSql(bind)})`).join(' AND '));

const joined = (conditions: Condition[], operator: string, indexed: boolean): Condition =>
  where(
    (bind) => `(${conditions.map(({ sql }) => sql(bind)).join(operator)})`,
    indexed,
    (bind) => `(${conditions.map(({ filterSql }) => filterSql(bind)).join(operator)})`,
  );
