import type { DataSource } from 'typeorm';
import {
  all,
  begins,
  type Bind,
  type Condition,
  contains,
  containsAny,
  containsSelectively,
  none,
  partsOf,
  where,
} from './search-conditions';
import { type FoundUser, HALF_OF_SAMPLE, type Position, RARE, type SearchRows } from './search-rows';
import { fold, markWords, queryWords } from './search-text';
import { once } from './once';
import { SearchWords } from './search-words';
import { emailKey } from '../user.fields';

/** One rank of the result: finds its next rows, ordered by name and id. */
export type Tier = (after: Position | undefined, limit: number) => Promise<FoundUser[]>;

/** The ranks of one query. Each excludes the rows of the ranks before it. */
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
    if (this.words.length === 0) return []; // the query contains only accents
    const exact = where(
      (bind) => `(email_key = ${bind(emailKey(this.q))} OR id = ${bind(this.q.toLowerCase())})`,
    );
    const whole = fold(this.q);
    const beginning = begins([markWords(whole)]);
    const insideWords = this.words.map((word) => word.trimStart());
    const starts = all(this.words.map(contains));
    const inside = all(insideWords.map(contains));
    const notEarlier = none(beginning, exact);
    const sample = once(async () => {
      const parts = insideWords.flatMap(partsOf);
      const [startMatches, insideMatches, ...partMatches] = await this.rows.sample([
        starts,
        inside,
        ...parts.map(contains),
      ]);
      // Looking up a part that most users contain takes long and excludes few.
      const isSelective = (_part: string, i: number) => partMatches[i] <= HALF_OF_SAMPLE;
      return {
        startMatches,
        insideMatches,
        indexedStarts: containsSelectively(this.words, isSelective),
        indexedInside: all(containsSelectively(insideWords, isSelective)),
      };
    });
    return [
      (after, limit) => this.rows.exactMatches(exact, after, limit),
      (after, limit) => this.rows.beginning([whole], none(exact), after, limit),
      ...this.fetchedTogether(
        async () => inside.indexed && (await sample()).insideMatches <= RARE,
        async () => all([(await sample()).indexedInside, notEarlier]),
        (bind) => `(NOT (${starts.filterSql(bind)}))::int`,
        [
          async (after, limit) => {
            const { startMatches, indexedStarts } = await sample();
            const conditions =
              startMatches > RARE ? indexedStarts : await this.vocabulary.startConditions(indexedStarts);
            return conditions
              ? this.rows.scan(starts, all(conditions), notEarlier, after, limit, startMatches, startMatches)
              : [];
          },
          async (after, limit) => {
            const { startMatches, insideMatches, indexedInside } = await sample();
            const others = all([none(starts), notEarlier]);
            const matches = insideMatches - startMatches;
            return this.rows.scan(inside, indexedInside, others, after, limit, matches, insideMatches);
          },
        ],
      ),
    ];
  }

  /**
   * The ranks of matches with typos, fewest typos first. A single word is searched for at the beginning of names and
   * emails before elsewhere: names that begin with it are adjacent, so a walk from the first name could be long.
   */
  async typoTiers(): Promise<Tier[]> {
    const corrections = await this.vocabulary.corrections();
    const misspelt = corrections.filter(({ candidates }) => candidates.length > 0);
    if (misspelt.length === 0) return [];
    const matches = all(
      corrections.map(({ word, candidates }) =>
        candidates.length > 0
          ? containsAny([word.trimStart(), ...candidates.map((candidate) => ` ${candidate}`)])
          : contains(word.trimStart()),
      ),
    );
    const sampleMatches = once(async () => (await this.rows.sample([matches]))[0]);
    if (corrections.length === 1) {
      const { candidates } = corrections[0];
      const others = none(begins(candidates.map((candidate) => ` ${candidate}`)));
      return [
        (after, limit) => this.rows.beginning(candidates, all([]), after, limit),
        async (after, limit) =>
          this.rows.scan(
            matches,
            matches,
            others,
            after,
            limit,
            await sampleMatches(),
            await sampleMatches(),
          ),
      ];
    }
    const asTyped = corrections.map(({ word }) => contains(word.trimStart()));
    const typoCount = (bind: Bind) =>
      asTyped.map(({ filterSql }) => `(NOT ${filterSql(bind)})::int`).join(' + ');
    return this.fetchedTogether(
      async () => (await sampleMatches()) <= RARE,
      async () => matches,
      (bind) => `${typoCount(bind)} - 1`,
      misspelt.map((_word, i) => async (after, limit) => {
        const rank = where((bind) => `${typoCount(bind)} = ${i + 1}`);
        return this.rows.scan(
          matches,
          matches,
          rank,
          after,
          limit,
          await sampleMatches(),
          await sampleMatches(),
        );
      }),
    );
  }

  /** If few users match, one statement fetches the rows of all these ranks, and each rank returns its own. */
  private fetchedTogether(
    isRare: () => Promise<boolean>,
    condition: () => Promise<Condition>,
    rank: (bind: Bind) => string,
    tiers: Tier[],
  ): Tier[] {
    let fetched: FoundUser[] | undefined;
    return tiers.map((tier, i) => async (after, limit) => {
      if (i === 0 && !after && (await isRare()))
        fetched = await this.rows.fetch(await condition(), after, limit, rank);
      return fetched ? fetched.filter((user) => user.rank === i).slice(0, limit) : tier(after, limit);
    });
  }
}
