import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { all, any, begins, type Bind, type Condition, contains, LAST, none } from './search-conditions';
import { fold, markWords, queryWords } from './search-text';
import { isOneEdit, MAX_WORD_LENGTH, MIN_TYPO_LENGTH, spellingsOf } from './spelling';
import { emailKey, type Role, type User, USER_COLUMNS } from './user.entity';

/**
 * Rows of the name index that are looked through before another index is asked. None among the first few: the word is so
 * rare that all who have it are soon fetched. Some: it is so common that a longer walk fills the page.
 */
const FIRST_WALK = 500;
const LONG_WALK = 5_000;

/** Words of the vocabulary that a misspelt one is taken for, at most. */
const MAX_CANDIDATES = 30;

export type FoundUser = User & { nameWords: string };

/** The row after which a tier goes on. */
export type Position = [nameWords: string, id: string];

/** One rank of the result: finds its next rows in the order of name and id. */
export type Tier = (after: Position | undefined, limit: number) => Promise<FoundUser[]>;

const COLUMNS = `${USER_COLUMNS}, name_words AS "nameWords"`;
const IN_ORDER = 'ORDER BY name_words, id';

/** The same order by an expression, which keeps the planner from walking the names to find the few that match. */
const SORTED = `ORDER BY name_words || '', id`;

/** The ranks of one query. Each leaves out what the ranks before it have. */
export class SearchQuery {
  private readonly users: string;
  private readonly vocabulary: string;
  private readonly words: string[];

  constructor(
    private readonly dataSource: DataSource,
    private readonly organizationId: string,
    private readonly q: string,
    private readonly role?: Role,
  ) {
    this.users = tableName(dataSource, 'users');
    this.vocabulary = tableName(dataSource, 'search_words');
    this.words = queryWords(q);
  }

  tiers(): Tier[] {
    if (this.words.length === 0) return []; // nothing but accents
    const exact: Condition = {
      sql: (bind) => `(email_key = ${bind(emailKey(this.q))} OR id = ${bind(this.q.toLowerCase())})`,
      indexed: true,
    };
    const whole = fold(this.q);
    const beginning = begins([markWords(whole)]);
    const starts = all(this.words.map((word) => contains(word)));
    const inside = all(this.words.map((word) => contains(word.trimStart())));
    return [
      (after, limit) => this.fetch(exact, after, limit),
      (after, limit) => this.beginning([whole], none(exact), after, limit),
      (after, limit) => this.scan(starts, none(beginning, exact), after, limit, () => this.mayStart()),
      (after, limit) => this.scan(inside, none(starts, beginning, exact), after, limit),
    ];
  }

  /**
   * What may have been meant, fewest typos first. A single word is looked for at the beginning of names and emails before
   * elsewhere: those whose name begins with it stand together, and a walk from the first name would be long.
   */
  async typoTiers(): Promise<Tier[]> {
    const meant = await this.meantWords();
    const misspelt = meant.filter(({ candidates }) => candidates.length > 0);
    const matches = all(
      meant.map(({ word, candidates }) =>
        any([contains(word.trimStart()), ...candidates.map((candidate) => contains(` ${candidate}`))]),
      ),
    );
    if (meant.length === 1 && misspelt.length === 1) {
      const { candidates } = misspelt[0];
      const beginning = begins(candidates.map((candidate) => ` ${candidate}`));
      return [
        (after, limit) => this.beginning(candidates, all([]), after, limit),
        (after, limit) => this.scan(matches, none(beginning), after, limit),
      ];
    }
    const asTyped = meant.map(({ word }) => contains(word.trimStart()));
    const typos = (bind: Bind) => asTyped.map(({ sql }) => `(NOT ${sql(bind)})::int`).join(' + ');
    return misspelt.map((_word, i) => (after, limit) => {
      return this.scan(matches, { sql: (bind) => `${typos(bind)} = ${i + 1}`, indexed: false }, after, limit);
    });
  }

  /** Names and emails that begin with one of these texts, in the order of names, each from an index of its own. */
  private beginning(texts: string[], others: Condition, after: Position | undefined, limit: number) {
    return this.query((bind) => {
      const rest = `${this.mine(after, bind)} AND ${others.sql(bind)}`;
      const prefixes = texts.map(markWords);
      const ranges = (of: string[]) =>
        `unnest(${bind(of)}::text[], ${bind(of.map((text) => text + LAST))}::text[]) AS r (first, last)`;
      const first = (conditions: string, order: string) =>
        `LATERAL (SELECT name_words, id FROM ${this.users} WHERE ${rest} AND ${conditions} ${order} LIMIT ${limit}) AS rows`;
      // Of an email in ASCII the unique key tells how it begins, without a look at the row.
      return `
        SELECT ${COLUMNS} FROM ${this.users} JOIN (
          SELECT name_words, id FROM ${ranges(prefixes)}, ${first('name_words >= first AND name_words < last', IN_ORDER)}
          UNION
          SELECT name_words, id FROM ${ranges(texts)}, ${first('email_key >= first AND email_key < last AND octet_length(email_key) = char_length(email_key)', SORTED)}
          UNION
          SELECT name_words, id FROM ${ranges(prefixes)}, ${first('email_words >= first AND email_words < last AND octet_length(email_key) <> char_length(email_key)', SORTED)}
        ) AS found (found_name, found_id) ON id = found_id AND organization_id = ${bind(this.organizationId)}
        ${IN_ORDER} LIMIT ${limit}`;
    });
  }

  /**
   * Rows in the order of names that meet both conditions; an index may know the first. A common word is soon found by
   * walking the names. A rare one is fetched from the index and sorted. The planner cannot tell which is which, so we
   * look: a walk that fills the page leaves nothing more to ask.
   */
  private async scan(
    condition: Condition,
    others: Condition,
    after: Position | undefined,
    limit: number,
    isThere: () => Promise<boolean> = async () => true,
  ): Promise<FoundUser[]> {
    const both = all([condition, others]);
    let walked = await this.walk(FIRST_WALK, both, after, limit);
    if (walked.length > 0 && walked.length < limit) walked = await this.walk(LONG_WALK, both, after, limit);
    if (walked.length === limit || !(await isThere())) return walked;
    return this.fetch(both, after, limit);
  }

  /** Those that meet the condition among the next so many rows. */
  private walk(
    rows: number,
    condition: Condition,
    after: Position | undefined,
    limit: number,
  ): Promise<FoundUser[]> {
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM (
          SELECT * FROM ${this.users} WHERE ${this.mine(after, bind)} ${IN_ORDER} LIMIT ${rows}
        ) AS walked WHERE ${condition.sql(bind)} ${IN_ORDER} LIMIT ${limit}`,
    );
  }

  private fetch(condition: Condition, after: Position | undefined, limit: number): Promise<FoundUser[]> {
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM ${this.users} WHERE ${this.mine(after, bind)} AND ${condition.sql(bind)}
        ${condition.indexed ? SORTED : IN_ORDER} LIMIT ${limit}`,
    );
  }

  /**
   * Whether every word of the query is how some word of the organization begins. Trigrams take long to find out that none
   * does, where many words hold it inside.
   */
  private async mayStart(): Promise<boolean> {
    const ranges = this.words.flatMap((word) => {
      const [letters] = /^\p{L}+/u.exec(word.trimStart()) ?? [''];
      if (!letters || 'usr'.startsWith(letters) || [...letters].length >= MAX_WORD_LENGTH) return [];
      return [[letters, letters === word.trimStart() ? letters + LAST : letters]];
    });
    const [{ all_there }] = await this.dataSource.query(
      `SELECT coalesce(bool_and(EXISTS (
         SELECT FROM ${this.vocabulary} WHERE organization_id = $1 AND word >= first AND word <= last)), true) AS all_there
       FROM unnest($2::text[], $3::text[]) AS r (first, last)`,
      [this.organizationId, ranges.map(([first]) => first), ranges.map(([, last]) => last)],
    );
    return all_there;
  }

  /** The words of the query, and for each the words of the organization that are one edit away. */
  private async meantWords(): Promise<{ word: string; candidates: string[] }[]> {
    return Promise.all(
      this.words.map(async (word) => {
        const letters = word.trimStart();
        if ([...letters].length < MIN_TYPO_LENGTH || !/^\p{L}+$/u.test(letters))
          return { word, candidates: [] };
        const near: { word: string }[] = await this.dataSource.query(
          `SELECT word FROM ${this.vocabulary} WHERE organization_id = $1 AND spellings && $2::text[]`,
          [this.organizationId, spellingsOf(letters)],
        );
        const candidates = near.map((row) => row.word).filter((candidate) => isOneEdit(letters, candidate));
        return { word, candidates: candidates.sort().slice(0, MAX_CANDIDATES) };
      }),
    );
  }

  /** What every rank asks for: rows of the organization, of the role, after the position. */
  private mine(after: Position | undefined, bind: Bind): string {
    const conditions = [`organization_id = ${bind(this.organizationId)}`];
    if (this.role) conditions.push(`role = ${bind(this.role)}`);
    if (after) conditions.push(`(name_words, id) > (${bind(after[0])}, ${bind(after[1])})`);
    return conditions.join(' AND ');
  }

  private query(sql: (bind: Bind) => string): Promise<FoundUser[]> {
    const values: unknown[] = [];
    const bind: Bind = Object.assign((value: unknown) => `$${values.push(value)}`, {
      nameOf: (own: string) => tableName(this.dataSource, own),
    });
    return this.dataSource.query(sql(bind), values);
  }
}
