import type { DataSource } from 'typeorm';
import { escapeLike, fold, markWords, queryWords } from './search-text';
import { isOneEdit, MIN_TYPO_LENGTH, spellingsOf } from './spelling';
import { emailKey, type Role, type User, USER_COLUMNS } from './user.entity';

/** Rows of the name index that are looked through before the trigram index is asked: enough for a common word. */
const WALK = 2_000;

/** Words of the vocabulary that a misspelt one is taken for, at most. */
const MAX_CANDIDATES = 30;

/** Nothing that begins with a text sorts after that text and this. */
const LAST = '\u{10FFFF}';

export type FoundUser = User & { nameWords: string };

/** The row after which a tier goes on. */
export type Position = [nameWords: string, id: string];

/** One rank of the result: finds its next rows in the order of name and id. */
export type Tier = (after: Position | undefined, limit: number) => Promise<FoundUser[]>;

/** A condition on a row of users; makes its SQL, with the help of what turns a value into a placeholder. */
type Condition = (bind: Bind) => string;
type Bind = (value: unknown) => string;

const COLUMNS = `${USER_COLUMNS}, name_words AS "nameWords"`;
const IN_ORDER = 'ORDER BY name_words, id';

/** The ranks of one query. Each leaves out what the ranks before it have. */
export class SearchQuery {
  private readonly words: string[];
  private readonly prefix: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly organizationId: string,
    private readonly q: string,
    private readonly role?: Role,
  ) {
    this.words = queryWords(q);
    this.prefix = markWords(fold(q));
  }

  tiers(): Tier[] {
    if (this.words.length === 0) return []; // nothing but accents
    const exact: Condition = (bind) =>
      `(email_key = ${bind(emailKey(this.q))} OR id = ${bind(this.q.toLowerCase())})`;
    const begins: Condition = (bind) => {
      const [from, to] = [bind(this.prefix), bind(this.prefix + LAST)];
      return `(name_words >= ${from} AND name_words < ${to} OR email_words >= ${from} AND email_words < ${to})`;
    };
    const starts = all(this.words.map((word) => contains(word)));
    const inside = all(this.words.map((word) => contains(word.trimStart())));
    return [
      (after, limit) => this.direct(exact, after, limit),
      (after, limit) => this.beginning(exact, after, limit),
      (after, limit) => this.scan(starts, not(begins, exact), after, limit),
      (after, limit) => this.scan(inside, not(starts, begins, exact), after, limit),
    ];
  }

  /** One for each number of words that carry a typo; none when no word can have been meant for another. */
  async typoTiers(): Promise<Tier[]> {
    const meant = await this.meantWords();
    const wrong = meant.filter(({ candidates }) => candidates.length > 0).length;
    const matches = all(
      meant.map(({ word, candidates }) =>
        any([contains(word.trimStart()), ...candidates.map((c) => contains(` ${c}`))]),
      ),
    );
    const typos: Condition = (bind) =>
      meant.map(({ word }) => `(NOT ${contains(word.trimStart())(bind)})::int`).join(' + ');
    return Array.from({ length: wrong }, (_, i) => (after, limit) => {
      return this.scan(matches, (bind) => `${typos(bind)} = ${i + 1}`, after, limit);
    });
  }

  /** A rank that unique keys answer. */
  private direct(condition: Condition, after: Position | undefined, limit: number): Promise<FoundUser[]> {
    return this.query(
      (bind) =>
        `SELECT ${COLUMNS} FROM users WHERE ${this.mine(after)(bind)} AND ${condition(bind)} ${IN_ORDER} LIMIT ${limit}`,
    );
  }

  /** Names and emails that begin with the whole of q, in the order of names, each from its own index. */
  private beginning(exact: Condition, after: Position | undefined, limit: number): Promise<FoundUser[]> {
    return this.query((bind) => {
      const [from, to] = [bind(this.prefix), bind(this.prefix + LAST)];
      const key = fold(this.q);
      const [keyFrom, keyTo] = [bind(key), bind(key + LAST)];
      const rest = all([this.mine(after), not(exact)])(bind);
      const byEmail = `SELECT name_words, id FROM users WHERE ${rest} AND NOT (name_words >= ${from} AND name_words < ${to})`;
      return `
        SELECT ${COLUMNS} FROM users JOIN (
          (SELECT name_words, id FROM users
           WHERE ${rest} AND name_words >= ${from} AND name_words < ${to} ${IN_ORDER} LIMIT ${limit})
          UNION ALL
          (${byEmail} AND email_key >= ${keyFrom} AND email_key < ${keyTo}
           AND octet_length(email_key) = char_length(email_key) ${IN_ORDER} LIMIT ${limit})
          UNION ALL
          (${byEmail} AND email_words >= ${from} AND email_words < ${to}
           AND octet_length(email_key) <> char_length(email_key) ${IN_ORDER} LIMIT ${limit})
        ) AS found (found_name, found_id) ON id = found_id AND organization_id = ${bind(this.organizationId)}
        ${IN_ORDER} LIMIT ${limit}`;
    });
  }

  /**
   * Rows in the order of names that meet both conditions; the first is one that the trigram index knows. A common word
   * is soon found by walking the names. A rare one is fetched from the index and sorted. The planner cannot tell which
   * is which, so we look: if the walk fills the page there is nothing more to ask.
   */
  private async scan(indexed: Condition, others: Condition, after: Position | undefined, limit: number) {
    const condition = all([indexed, others]);
    const walked = await this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM (
          SELECT * FROM users WHERE ${this.mine(after)(bind)} ${IN_ORDER} LIMIT ${WALK}
        ) AS walked WHERE ${condition(bind)} ${IN_ORDER} LIMIT ${limit}`,
    );
    if (walked.length === limit) return walked;
    // Ordered by an expression, or the planner would walk the names once more.
    return this.query(
      (bind) => `
        SELECT ${COLUMNS} FROM users WHERE ${this.mine(after)(bind)} AND ${condition(bind)}
        ORDER BY name_words || '', id LIMIT ${limit}`,
    );
  }

  /** The words of the query, and for each the words of the organization that are one edit away. */
  private async meantWords(): Promise<{ word: string; candidates: string[] }[]> {
    return Promise.all(
      this.words.map(async (word) => {
        const letters = word.trimStart();
        if ([...letters].length < MIN_TYPO_LENGTH || !/^\p{L}+$/u.test(letters))
          return { word, candidates: [] };
        const near: { word: string }[] = await this.dataSource.query(
          `SELECT word FROM search_words WHERE organization_id = $1 AND spellings && $2::text[]`,
          [this.organizationId, spellingsOf(letters)],
        );
        const candidates = near.map((row) => row.word).filter((candidate) => isOneEdit(letters, candidate));
        return { word, candidates: candidates.sort().slice(0, MAX_CANDIDATES) };
      }),
    );
  }

  /** What every rank asks for: rows of the organization, of the role, after the position. */
  private mine(after: Position | undefined): Condition {
    return (bind) => {
      const conditions = [`organization_id = ${bind(this.organizationId)}`];
      if (this.role) conditions.push(`role = ${bind(this.role)}`);
      if (after) conditions.push(`(name_words, id) > (${bind(after[0])}, ${bind(after[1])})`);
      return conditions.join(' AND ');
    };
  }

  private query(sql: (bind: Bind) => string): Promise<FoundUser[]> {
    const values: unknown[] = [];
    const bind = (value: unknown) => `$${values.push(value)}`;
    return this.dataSource.query(sql(bind), values);
  }
}

/** Contains a text, of which nothing is an operator. The value comes from a sub-select, so that no plan is made for it. */
const contains =
  (text: string): Condition =>
  (bind) =>
    `search_text LIKE (SELECT ${bind(`%${escapeLike(text)}%`)})`;

const all =
  (conditions: Condition[]): Condition =>
  (bind) =>
    conditions.map((condition) => condition(bind)).join(' AND ');

const any =
  (conditions: Condition[]): Condition =>
  (bind) =>
    `(${conditions.map((condition) => condition(bind)).join(' OR ')})`;

const not =
  (...conditions: Condition[]): Condition =>
  (bind) =>
    conditions.map((condition) => `NOT (${condition(bind)})`).join(' AND ');
