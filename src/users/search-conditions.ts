import { escapeLike } from './search-text';

export interface Bind {
  /** Turns a value into the placeholder of a statement. */
  (value: unknown): string;
  /** A table or function of ours as the statement has to name it. */
  nameOf(own: string): string;
}

/** A condition on a row of users. */
export interface Condition {
  sql: (bind: Bind) => string;
  /** Whether an index finds the rows that meet it. */
  indexed: boolean;
}

/** Nothing that begins with a text sorts after that text and this. */
export const LAST = '\u{10FFFF}';

// What the trigrams of LIKE can be made of, whatever the locale: three letters in a row, or a word's beginning or end.
const HAS_TRIGRAM = / [a-z0-9]|[a-z0-9]{3}|[a-z0-9]{2}[^\p{L}\p{N}]/u;

/** A pair that the index of pairs has; see the migration that makes it. */
const INDEXED_PAIR = /^(?=.*[^0-9a-hjkmnp-tv-z])\S\S$/u;

/** Contains a text, of which nothing is an operator. */
export function contains(text: string): Condition {
  // The value comes from a sub-select, because the planner guesses worse from the value than without it.
  if (HAS_TRIGRAM.test(text)) {
    return { sql: (bind) => `search_text LIKE (SELECT ${bind(`%${escapeLike(text)}%`)})`, indexed: true };
  }
  const letters = [...text];
  const pairs = letters
    .slice(1)
    .map((letter, i) => letters[i] + letter)
    .filter((pair) => INDEXED_PAIR.test(pair));
  // Not LIKE: without a trigram that would read the whole index.
  const holds = (bind: Bind) => `strpos(search_text, ${bind(text)}) > 0`;
  if (pairs.length === 0) return { sql: holds, indexed: false };
  return {
    sql: (bind) => `(${bind.nameOf('ums_pairs')}(search_text) @> ${bind(pairs)}::text[] AND ${holds(bind)})`,
    indexed: true,
  };
}

/** A name or an email begins with one of these marked texts. */
export const begins = (prefixes: string[]): Condition => ({
  sql: (bind) =>
    `(${prefixes
      .map((prefix) => [bind(prefix), bind(prefix + LAST)])
      .map(
        ([from, to]) =>
          `name_words >= ${from} AND name_words < ${to} OR email_words >= ${from} AND email_words < ${to}`,
      )
      .join(' OR ')})`,
  indexed: false,
});

/** All of them. One that an index knows is enough to find the rows. */
export const all = (conditions: Condition[]): Condition => ({
  sql: (bind) => conditions.map(({ sql }) => sql(bind)).join(' AND ') || 'true',
  indexed: conditions.some(({ indexed }) => indexed),
});

/** One of them at least; an index must know each. */
export const any = (conditions: Condition[]): Condition => ({
  sql: (bind) => `(${conditions.map(({ sql }) => sql(bind)).join(' OR ')})`,
  indexed: conditions.every(({ indexed }) => indexed),
});

/** None of them. */
export const none = (...conditions: Condition[]): Condition => ({
  sql: (bind) => conditions.map(({ sql }) => `NOT (${sql(bind)})`).join(' AND '),
  indexed: false,
});
