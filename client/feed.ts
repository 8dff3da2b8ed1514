import { ApiError, isTransient } from './api-error.ts';
import type { Page } from './pages.ts';
import { sleep } from './transport.ts';

export interface FeedOptions {
  /** Where to begin: the `cursor` of an earlier feed with the same filters. By default the oldest event that is kept. */
  cursor?: string;
  /** The pause before the next question when everything has been read, in milliseconds. Default: 1,000. */
  intervalMs?: number;
  /** Ends the feed: the iteration throws its reason. */
  signal?: AbortSignal;
}

/**
 * Iterates over what happens, for ever, in its order. Failures that may pass are waited out. To go on after a restart, keep
 * `cursor` and begin there: each event is then seen at least once.
 */
export class Feed<Item> implements AsyncIterable<Item> {
  /** Behind the last page whose items have all been handled. */
  cursor: string | undefined;
  readonly #options: FeedOptions;
  readonly #fetch: (cursor?: string) => Promise<Page<Item>>;

  constructor(options: FeedOptions, fetch: (cursor?: string) => Promise<Page<Item>>) {
    this.cursor = options.cursor;
    this.#options = options;
    this.#fetch = fetch;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const page = await this.#page();
      yield* page.data;
      // A page may be short although there are more: the service looks at so many events, and then says how far it got.
      const isEnd = page.nextCursor === null || page.nextCursor === this.cursor;
      this.cursor = page.nextCursor ?? this.cursor;
      if (isEnd) await this.#pause();
    }
  }

  async #page(): Promise<Page<Item>> {
    for (;;) {
      try {
        return await this.#fetch(this.cursor);
      } catch (error) {
        if (!(error instanceof ApiError) || !isTransient(error)) throw error;
        await this.#pause();
      }
    }
  }

  #pause(): Promise<void> {
    return sleep(this.#options.intervalMs ?? 1_000, this.#options.signal);
  }
}
