import type { DataSource } from 'typeorm';
import {
  all,
  begins,
  type Bind,
  type Condition,
  contains,
  containsAny,
  containsBy,
  none,
  partsOf,
  where,
} from './search-conditions';
import { type FoundUser, HALF, type Position, RARE, type SearchRows } from './search-rows';
import { fold, markWords, queryWords } from './search-text';
import { once } from './once';
import { SearchWords } from './search-words';
import { emailKey } from '../user.fields';

/** One rank of the result: finds its next rows in the order of name and id. */
export type Tier = (after: Position | undefined, limit: number) => Promise<FoundUser[]>;

/** The ranks of one query. Each leaves out what the ranks before it have. */
export class SearchQuery {
  private readonly words: string[];
  private readonly vocabulary: SearchWords;

  constructor(
    dataSource: DataSource,
    organizationId: string,
    private readonly q: string,
    private readonly rows: SearchRows,
  ) {
    this.words = queryWords(q);
    this.vocabulary = new SearchWords(dataSource, organizationId, this.words);
  }

  tiers(): Tier[] {
    if (this.words.length === 0) return []; // nothing but accents
    const exact = where(
      (bind) => `(email_key = ${bind(emailKey(this.q))} OR id = ${bind(this.q.toLowerCase())})`,
    );
    const whole = fold(this.q);
    const beginning = begins([markWords(whole)]);
    const insideWords = this.words.map((word) => word.trimStart());
    const starts = all(this.words.map(contains));
    const inside = all(insideWords.map(contains));
    const earlier = none(beginning, exact);
    const seen = once(async () => {
      const parts = insideWords.flatMap(partsOf);
      const [starting, often, ...counts] = await this.rows.sample([starts, inside, ...parts.map(contains)]);
      // Where most users have a part of a word, looking that up takes long and leaves out few.
      const isTelling = (_part: string, i: number) => counts[i] <= HALF;
      return {
        starting,
        often,
        startsByIndex: containsBy(this.words, isTelling),
        insideByIndex: all(containsBy(insideWords, isTelling)),
      };
    });
    return [
      (after, limit) => this.rows.named(exact, after, limit),
      (after, limit) => this.rows.beginning([whole], none(exact), after, limit),
      ...this.together(
        async () => inside.indexed && (await seen()).often <= RARE,
        async () => all([(await seen()).insideByIndex, earlier]),
        (bind) => `(NOT (${starts.atHand(bind)}))::int`,
        [
          async (after, limit) => {
            const { starting, startsByIndex } = await seen();
            const byIndex = starting > RARE ? startsByIndex : await this.vocabulary.starting(startsByIndex);
            return byIndex
              ? this.rows.scan(starts, all(byIndex), earlier, after, limit, starting, starting)
              : [];
          },
          async (after, limit) => {
            const { starting, often, insideByIndex } = await seen();
            const others = all([none(starts), earlier]);
            return this.rows.scan(inside, insideByIndex, others, after, limit, often - starting, often);
          },
        ],
      ),
    ];
  }

  /**
   * What may have been meant, fewest typos first. A single word is looked for at the beginning of names and emails before
   * elsewhere: those whose name begins with it stand together, and a walk from the first name would be long.
   */
  async typoTiers(): Promise<Tier[]> {
    const meant = await this.vocabulary.meant();
    const misspelt = meant.filter(({ candidates }) => candidates.length > 0);
    if (misspelt.length === 0) return [];
    const matches = all(
      meant.map(({ word, candidates }) =>
        candidates.length > 0
          ? containsAny([word.trimStart(), ...candidates.map((candidate) => ` ${candidate}`)])
          : contains(word.trimStart()),
      ),
    );
    const seen = once(async () => (await this.rows.sample([matches]))[0]);
    if (meant.length === 1) {
      const { candidates } = meant[0];
      const others = none(begins(candidates.map((candidate) => ` ${candidate}`)));
      return [
        (after, limit) => this.rows.beginning(candidates, all([]), after, limit),
        async (after, limit) =>
          this.rows.scan(matches, matches, others, after, limit, await seen(), await seen()),
      ];
    }
    const asTyped = meant.map(({ word }) => contains(word.trimStart()));
    const typos = (bind: Bind) => asTyped.map(({ atHand }) => `(NOT ${atHand(bind)})::int`).join(' + ');
    return this.together(
      async () => (await seen()) <= RARE,
      async () => matches,
      (bind) => `${typos(bind)} - 1`,
      misspelt.map((_word, i) => async (after, limit) => {
        const rank = where((bind) => `${typos(bind)} = ${i + 1}`);
        return this.rows.scan(matches, matches, rank, after, limit, await seen(), await seen());
      }),
    );
  }

  /** Ranks of which all are fetched at once where those who match are few; each keeps its own for its turn. */
  private together(
    areFew: () => Promise<boolean>,
    condition: () => Promise<Condition>,
    rank: (bind: Bind) => string,
    tiers: Tier[],
  ): Tier[] {
    let kept: FoundUser[] | undefined;
    return tiers.map((tier, i) => async (after, limit) => {
      if (i === 0 && !after && (await areFew()))
        kept = await this.rows.fetch(await condition(), after, limit, rank);
      return kept ? kept.filter((user) => user.rank === i).slice(0, limit) : tier(after, limit);
    });
  }
}
