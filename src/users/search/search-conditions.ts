import { escapeLike, PUNCTUATION } from './search-text';

export interface Bind {
  /** Turns a value into the placeholder of a statement. */
  (value: unknown): string;
  /** A table or function of ours as the statement has to name it. */
  nameOf(own: string): string;
}

/** A condition on a row of users. */
export interface Condition {
  sql: (bind: Bind) => string;
  /** The same for a row that is at hand, without what only an index asks. */
  atHand: (bind: Bind) => string;
  /** Whether an index finds the rows that meet it. */
  indexed: boolean;
}

export const where = (
  sql: Condition['sql'],
  indexed = false,
  atHand: Condition['atHand'] = sql,
): Condition => ({ sql, atHand, indexed });

/** Nothing that begins with a text sorts after that text and this. */
export const LAST = '\u{10FFFF}';

// What the trigrams of LIKE can be made of, whatever the locale: three letters in a row, or a word's beginning or end.
const HAS_TRIGRAM = / [a-z0-9]|[a-zA-Z0-9]{3}|[a-zA-Z0-9]{2}[^\p{L}\p{N}]/u;

/** A pair that the index of pairs has; see the migration that makes it. */
const INDEXED_PAIR = /^(?=.*[^0-9a-hjkmnp-tv-z])\S\S$/u;

/** Contains a text, of which nothing is an operator. */
export function contains(part: string): Condition {
  const text = part.replace(/[.@_-]/g, (mark) => PUNCTUATION[mark]);
  const holds = (bind: Bind) => `strpos(search_text, ${bind(text)}) > 0`;
  // The value comes from a sub-select, because the planner guesses worse from the value than without it.
  if (HAS_TRIGRAM.test(text)) {
    const like = (bind: Bind) => `search_text LIKE (SELECT ${bind(`%${escapeLike(text)}%`)})`;
    return where(like, true, holds);
  }
  const letters = [...text];
  const pairs = letters
    .slice(1)
    .map((letter, i) => letters[i] + letter)
    .filter((pair) => INDEXED_PAIR.test(pair));
  // Not LIKE: without a trigram that would read the whole index.
  if (pairs.length === 0) return where(holds);
  const indexed = (bind: Bind) => `${bind.nameOf('ums_pairs')}(search_text) @> ${bind(pairs)}::text[]`;
  return where((bind) => `(${holds(bind)} AND ${indexed(bind)})`, true, holds);
}

/** The words of a text that contains more than one, each as its neighbours let an index see it. */
export function partsOf(text: string): string[] {
  const words = text.split(' ');
  return words.flatMap((word, i) =>
    word ? [`${i > 0 ? ' ' : ''}${word}${i < words.length - 1 ? ' ' : ''}`] : [],
  );
}

/** Contains each of these words, of which an index looks up the parts that are telling. */
export function containsBy(words: string[], isTelling: (part: string, i: number) => boolean): Condition[] {
  let i = 0;
  const conditions = words.map((word) => {
    const parts = partsOf(word);
    const telling = parts.filter((part) => isTelling(part, i++));
    const whole = contains(word);
    return telling.length === parts.length ? whole : all([...telling.map(contains), where(whole.atHand)]);
  });
  return all(conditions).indexed ? conditions : words.map(contains);
}

/** Contains one of these texts, each of letters and the spaces that mark them. */
export function containsAny(texts: string[]): Condition {
  const conditions = texts.map(contains);
  const indexed = conditions.every((condition) => condition.indexed);
  // The trigrams of one expression are looked up in one go, those of many patterns pattern by pattern.
  if (texts.every((text) => HAS_TRIGRAM.test(text))) {
    return where((bind) => `search_text ~ (SELECT ${bind(texts.join('|'))})`, indexed);
  }
  return joined(conditions, ' OR ', indexed);
}

/** A name or an email begins with one of these marked texts. */
export const begins = (prefixes: string[]): Condition =>
  where(
    (bind) =>
      `(${prefixes
        .map((prefix) => [bind(prefix), bind(prefix + LAST)])
        .map(
          ([from, to]) =>
            `name_words >= ${from} AND name_words < ${to} OR email_words >= ${from} AND email_words < ${to}`,
        )
        .join(' OR ')})`,
  );

/** The name begins like this one, as the indexes know it; see the migration that makes them. */
export const hasInitialOf = (nameWords: string): Condition =>
  where((bind) => {
    const initial = bind.nameOf('ums_initial');
    return `${initial}(name_words) = ${initial}(${bind(nameWords)})`;
  });

/** All of them. One that an index knows is enough to find the rows. */
export const all = (conditions: Condition[]): Condition =>
  conditions.length === 0
    ? where(() => 'true')
    : joined(
        conditions,
        ' AND ',
        conditions.some(({ indexed }) => indexed),
      );

/** None of them. */
export const none = (...conditions: Condition[]): Condition =>
  where((bind) => conditions.map(({ atHand }) => `NOT (${atHand(bind)})`).join(' AND '));

const joined = (conditions: Condition[], operator: string, indexed: boolean): Condition =>
  where(
    (bind) => `(${conditions.map(({ sql }) => sql(bind)).join(operator)})`,
    indexed,
    (bind) => `(${conditions.map(({ atHand }) => atHand(bind)).join(operator)})`,
  );
