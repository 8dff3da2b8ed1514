import { type Page, Pages } from './pages.ts';
import type { Answer } from './transport.ts';
import type { Event, ListEventsQuery } from './types.ts';

/** Iterates over events up to the newest one at the start, however fast others follow. */
export class EventPages extends Pages<Event> {
  readonly #query: ListEventsQuery;
  readonly #fetch: (query: ListEventsQuery) => Promise<Answer<Page<Event>>>;

  constructor(query: ListEventsQuery, fetch: (query: ListEventsQuery) => Promise<Answer<Page<Event>>>) {
    super(async () => (await fetch(query)).body);
    this.#query = query;
    this.#fetch = fetch;
  }

  override async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    let { body, headers } = await this.#fetch(this.#query);
    // Without a second page, the first is all there is.
    const newest = headers.has('Link') ? await this.#newest() : Infinity;
    for (;;) {
      for (const event of body.data) {
        if (event.sequence > newest) return;
        yield event;
      }
      // In ascending order there is always a cursor, but a link only while there are more events.
      if (!headers.has('Link') || body.nextCursor === null) return;
      ({ body, headers } = await this.#fetch({ ...this.#query, cursor: body.nextCursor }));
    }
  }

  async #newest(): Promise<number> {
    const { body } = await this.#fetch({ order: 'desc', limit: 1 });
    return body.data[0]?.sequence ?? 0;
  }
}
