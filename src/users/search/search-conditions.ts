import { emailKey } from '../user.fields';
import { EMAIL_MARK, foldName, toSearchText } from './search-text';

/** Adds a value to the parameters of a statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

/** A condition on a row of `user_search` and the `email_key` of its user, as SQL. */
export type Condition = (bind: Bind) => string;

/** Every text that begins with a prefix sorts before the prefix followed by this character. */
export const LAST_CHARACTER = '\u{10FFFF}';

/** What a user who matches a word meets: a condition for rows that are at hand, and one for the index. */
export interface Match {
  filter: Condition;
  index: Condition;
  /** For the index if most users have the text, but fewer have it where it counts. */
  indexIfCommon?: Condition;
}

/** Several matches together, with what the filter says more than the index. */
export interface IndexedMatch extends Match {
  rest: Condition;
}

/** The user has this text. Search text has no operator of LIKE. */
export const contains = (text: string): Match => ({
  filter: (bind) => `strpos(text, ${bind(text)}) > 0`,
  index: (bind) => `text LIKE ${bind(`%${text}%`)}`,
});

/** The user has this text, which begins with the mark of a word. The first two letters of a word are a trigram of their own. */
export const containsStart = (text: string): Match => ({
  ...contains(text),
  indexIfCommon: contains(/^ ..|/.exec(text)![0]).index,
});

/** The user has one of these texts. One regular expression takes one look-up in the index; several patterns take one each. */
export const containsAny = (texts: string[]): Match => {
  const expression = texts.join('|');
  return {
    filter: (bind) => `(text || '') ~ ${bind(expression)}`,
    index: (bind) => `text ~ ${bind(expression)}`,
  };
};

/**
 * The name begins with one of these texts without regard to accents, or the email with regard to them. The email itself is
 * compared last: most rows do not need it, and some statements have to look it up.
 */
export const begins = (prefixes: string[]): Condition =>
  any(
    prefixes.map(
      (prefix) => (bind) =>
        `starts_with(name_key, ${bind(foldName(prefix))})
         OR strpos(text, ${bind(EMAIL_MARK + toSearchText(prefix))}) > 0 AND starts_with(email_key, ${bind(emailKey(prefix))})`,
    ),
  );

export const all = (conditions: Condition[]): Condition => joined(conditions, ' AND ', 'true');
export const any = (conditions: Condition[]): Condition => joined(conditions, ' OR ', 'false');
export const not =
  (condition: Condition): Condition =>
  (bind) =>
    `NOT ${condition(bind)}`;

const joined =
  (conditions: Condition[], operator: string, none: string): Condition =>
  (bind) =>
    conditions.length === 0 ? none : `(${conditions.map((condition) => condition(bind)).join(operator)})`;
