export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** A list that is fetched page by page while it is walked. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor?: string) => Promise<Page<Item>>;

  constructor(fetch: (cursor?: string) => Promise<Page<Item>>) {
    this.#fetch = fetch;
  }

  /** One page alone: the first, or that of the cursor in the query. */
  page(): Promise<Page<Item>> {
    return this.#fetch();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = await this.#fetch();
    for (;;) {
      yield* page.data;
      if (page.nextCursor === null) return;
      page = await this.#fetch(page.nextCursor);
    }
  }
}
