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

/** Words of the vocabulary that one of the query is taken for, at most. */
const MAX_CANDIDATES = 30;

export type FoundUser = User & { nameWords: string; first?: boolean };

/** The row after which a tier goes on. */
export type Position = [nameWords: string, id: string];

/** One rank of the result: finds its next rows in the order of name and id. */
export type Tier = (after: Position | undefined, limit: number) => Promise<FoundUser[]>;

const COLUMNS = `${USER_COLUMNS}, name_words AS "nameWords"`;
const IN_ORDER = 'name_words, id';

/** The same order by an expression, which keeps the planner from walking the names to find the few that match. */
const SORTED = `name_words || '', id`;

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
    // Of a rare word the last two ranks are fetched at once, and the last one is kept for its turn.
    let kept: FoundUser[] | undefined;
    return [
      (after, limit) => this.fetch(exact, after, limit),
      (after, limit) => this.beginning([whole], none(exact), after, limit),
      async (after, limit) => {
        if (after || !(await this.isRare(inside))) {
          return this.scan(starts, none(beginning, exact), after, limit, () => this.startingWords());
        }
        const found = await this.fetch(all([inside, none(beginning, exact)]), after, limit, starts);
        kept = found.filter((user) => !user.first);
        return found.filter((user) => user.first);
      },
      async (after, limit) =>
        after || !kept
          ? this.scan(inside, none(starts, beginning, exact), after, limit)
          : kept.slice(0, limit),
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
        `LATERAL (SELECT name_words, id FROM ${this.users} WHERE ${rest} AND ${conditions} ORDER BY ${order} LIMIT ${limit}) AS rows`;
      // Of an email in ASCII the unique key tells how it begins, without a look at the row.
      return `
        SELECT ${COLUMNS} FROM ${this.users} JOIN (
          SELECT name_words, id FROM ${ranges(prefixes)}, ${first('name_words >= first AND name_words < last', IN_ORDER)}
          UNION
          SELECT name_words, id FROM ${ranges(texts)}, ${first('email_key >= first AND email_key < last AND octet_length(email_key) = char_length(email_key)', SORTED)}
          UNION
          SELECT name_words, id FROM ${ranges(prefixes)}, ${first('email_words >= first AND email_words < last AND octet_length(email_key) <> char_length(email_key)', SORTED)}
        ) AS found (found_name, found_id) ON id = found_id AND organization_id = ${bind(this.organizationId)}
        ORDER BY ${IN_ORDER} LIMIT ${limit}`;
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
    narrowed: () => Promise<Condition | null> = async () => condition,
  ): Promise<FoundUser[]> {
    const both = all([condition, others]);
    let walked = await this.walk(FIRST_WALK, both, after, limit);
    if (walked.length > 0 && walked.length < limit) walked = await this.walk(LONG_WALK, both, after, limit);
    if (walked.length === limit) return walked;
    const indexed = await narrowed();
    return indexed ? this.fetch(all([indexed, others]), after, limit) : walked;
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
          SELECT * FROM ${this.users} WHERE ${this.mine(after, bind)} ORDER BY ${IN_ORDER} LIMIT ${rows}
        ) AS walked WHERE ${condition.sql(bind)} ORDER BY ${IN_ORDER} LIMIT ${limit}`,
    );
  }

  /** So rare that it is not among the first names; then all who have it are few enough to be fetched and sorted. */
  private async isRare(condition: Condition): Promise<boolean> {
    return condition.indexed && (await this.walk(FIRST_WALK, condition, undefined, 1)).length === 0;
  }

  /** Rows that meet the condition, in the order of names; those that meet `first` too before the others. */
  private fetch(
    condition: Condition,
    after: Position | undefined,
    limit: number,
    first?: Condition,
  ): Promise<FoundUser[]> {
    return this.query((bind) => {
      const rank = first ? `(${first.sql(bind)})` : 'true';
      return `
        SELECT ${COLUMNS}, ${rank} AS first FROM ${this.users} WHERE ${this.mine(after, bind)} AND ${condition.sql(bind)}
        ORDER BY ${first ? 'first DESC, ' : ''}${condition.indexed ? SORTED : IN_ORDER} LIMIT ${limit}`;
    });
  }

  /**
   * What finds the rows of which some word begins with each word of the query; null where none does. Trigrams alone take
   * long to find out who begins a word with what many have inside one; the vocabulary knows the whole words.
   */
  private async startingWords(): Promise<Condition | null> {
    const conditions = await Promise.all(
      this.words.map(async (word) => {
        const text = word.trimStart();
        const [letters] = /^\p{L}+/u.exec(text) ?? [''];
        const isKnown = letters && !'usr'.startsWith(letters) && [...letters].length < MAX_WORD_LENGTH;
        if (!isKnown) return contains(word); // ids and numbers are in no vocabulary
        const known: { word: string }[] = await this.dataSource.query(
          `SELECT word FROM ${this.vocabulary} WHERE organization_id = $1 AND word >= $2 AND word <= $3 LIMIT ${MAX_CANDIDATES}`,
          [this.organizationId, letters, letters === text ? letters + LAST : letters],
        );
        if (known.length === 0) return null;
        const few = letters === text && known.length < MAX_CANDIDATES;
        return few ? any(known.map((row) => contains(` ${row.word}`))) : contains(word);
      }),
    );
    return conditions.some((condition) => condition === null) ? null : all(conditions as Condition[]);
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
