export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** Iterates over the items of a list and fetches its pages as needed. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor?: string) => Promise<Page<Item>>;

  constructor(fetch: (cursor?: string) => Promise<Page<Item>>) {
    this.#fetch = fetch;
  }

  /** Fetches one page: the first, or the one at the cursor of the query. */
  page(): Promise<Page<Item>> {
    return this.#fetch();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = await this.#fetch();
    for (;;) {
      yield* page.data;
      const { nextCursor } = page;
      if (nextCursor === null) return;
      page = await this.#fetch(nextCursor);
      // A feed has a cursor for future events even on its last page.
      if (page.nextCursor === nextCursor) return;
    }
  }
}
