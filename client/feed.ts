import { ApiError, isTransient } from './api-error.ts';
import type { Page } from './pages.ts';
import { sleep } from './retries.ts';

export interface FeedOptions {
  /** Where to begin: the `cursor` of an earlier feed with the same filters. By default at the oldest stored event. */
  cursor?: string;
  /** The pause before the next request when everything has been read, in milliseconds. Default: 1,000. */
  intervalMs?: number;
  /** Ends the feed: the iteration throws its reason. */
  signal?: AbortSignal;
}

/**
 * Iterates over events in order, without an end. Retries temporary failures. To continue after a restart, store
 * `cursor` and begin there: you then get each event at least once.
 */
export class Feed<Item> implements AsyncIterable<Item> {
  /** The position after the last page whose items have all been handled. */
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
      // A page may be short although there are more events: the service scans a limited number and returns the position
      // that it reached.
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
