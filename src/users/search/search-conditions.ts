import { join, type Sql, sql } from '../../database/sql';
import { foldName } from '../user/fold';
import { User } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { EMAIL_MARK, toSearchText } from './search-text';

// Conditions on a row of `user_search`.

export const TRUE = sql`true`;
export const FALSE = sql`false`;

/** Every text that begins with a prefix sorts before the prefix followed by this character. */
export const LAST_CHARACTER = '\u{10FFFF}';

/** The conditions for users that match a word. */
export interface Match {
  /** For rows that have been read. */
  filter: Sql;
  /** For the index. */
  index: Sql;
  /** For the index, if most users have the text but fewer have it at the start of a word. */
  indexIfCommon?: Sql;
}

/** The user has this text. Search text has no operator of LIKE. */
export const contains = (text: string): Match => ({
  filter: sql`strpos(text, ${text}) > 0`,
  index: sql`text LIKE ${`%${text}%`}`,
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
    filter: sql`(text || '') ~ ${expression}`,
    index: sql`text ~ ${expression}`,
  };
};

/**
 * The name or the email begins with one of these texts. The accents of emails count, but search text has none, so the
 * email itself is compared as well.
 */
export const begins = (organizationId: string, prefixes: string[]): Sql =>
  any(
    prefixes.map(
      (
        prefix,
      ) => sql`starts_with(name_key, ${foldName(prefix)}) OR strpos(text, ${EMAIL_MARK + toSearchText(prefix)}) > 0
        AND (SELECT starts_with(email_key, ${emailKey(prefix)}) FROM ${User} WHERE organization_id = ${organizationId} AND id = user_id)`,
    ),
  );

export const all = (conditions: Sql[]): Sql =>
  conditions.length === 0 ? TRUE : sql`(${join(conditions, ' AND ')})`;
export const any = (conditions: Sql[]): Sql =>
  conditions.length === 0 ? FALSE : sql`(${join(conditions, ' OR ')})`;
export const not = (condition: Sql): Sql => sql`NOT ${condition}`;
