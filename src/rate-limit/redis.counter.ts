import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { describeError } from '../database/errors';
import { LastSeen } from './last-seen';
import { type Client, countIn } from './redis.script';
import { type CountedWindow, WINDOW_MS, type WindowCounter, windowKey } from './window';

const STORAGE = 'redis';

/** How long Redis may take to answer before the fallback counts. */
const ANSWER_TIMEOUT_MS = 150;
const CONNECT_TIMEOUT_MS = 1_000;
const ATTEMPT_INTERVAL_MS = 1_000;

/** The steps in which a timeout elapses. */
const TIMEOUT_SLICES = 3;

/** Written like every other key, because a read-only Redis cannot count. */
const PROBE = new Map([[windowKey('', 'probe'), 0]]);

/**
 * Counts in Redis, and in `fallback` while Redis is unreachable. Each continues from what this process last saw of a window
 * in the other. The requests in flight at the start of an outage wait at most `ANSWER_TIMEOUT_MS`. Later ones do not wait: only a
 * probe tries Redis, once a second.
 */
export class RedisCounter implements WindowCounter, OnApplicationShutdown {
  readonly windowMs = WINDOW_MS;
  fallbacks = 0;
  private readonly logger = new Logger('RateLimit');
  private readonly lastSeen = new LastSeen();
  /** Undefined while Redis is unreachable. */
  private client?: Client;
  private attemptedAt = -Infinity;
  private nextAttempt?: NodeJS.Timeout;
  private isUnreachable = false;
  private isClosed = false;

  private constructor(
    private readonly newClient: () => Client,
    private readonly fallback: WindowCounter,
  ) {}

  /** Succeeds even if Redis is unreachable. */
  static async open(url: string, fallback: WindowCounter): Promise<RedisCounter> {
    const { createClient } = await import('redis').catch(notInstalled);
    const newClient = () =>
      createClient({
        url,
        disableOfflineQueue: true,
        socket: { reconnectStrategy: false, connectTimeout: CONNECT_TIMEOUT_MS },
      });
    const counter = new RedisCounter(newClient as () => Client, fallback);
    await counter.connect();
    return counter;
  }

  get storage(): string {
    return this.client ? STORAGE : this.fallback.storage;
  }

  get countsPerOrganization(): boolean {
    return !this.client && this.fallback.countsPerOrganization;
  }

  async count(hits: ReadonlyMap<string, number>): Promise<Map<string, CountedWindow>> {
    const { client } = this;
    if (!client) return this.countInFallback(hits);
    const askedAt = performance.now();
    try {
      // Sends everything that was seen, because Redis may have been emptied meanwhile.
      const seen = this.lastSeen.of(hits.keys());
      const windows = await withTimeout(ANSWER_TIMEOUT_MS, countIn(client, hits, seen));
      this.lastSeen.remember(windows, STORAGE, askedAt);
      return windows;
    } catch (error) {
      this.drop(client, error);
      return this.countInFallback(hits);
    }
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.nextAttempt);
    if (this.client) end(this.client);
    this.client = undefined;
  }

  private async countInFallback(hits: ReadonlyMap<string, number>): Promise<Map<string, CountedWindow>> {
    const { storage } = this.fallback;
    const askedAt = performance.now();
    const windows = await this.fallback.count(hits, this.lastSeen.of(hits.keys(), storage));
    this.lastSeen.remember(windows, storage, askedAt);
    return windows;
  }

  private async connect(): Promise<void> {
    this.attemptedAt = performance.now();
    const client = this.newClient();
    client.on('error', (error) => this.drop(client, error));
    try {
      await withTimeout(CONNECT_TIMEOUT_MS, client.connect());
      await withTimeout(ANSWER_TIMEOUT_MS, countIn(client, PROBE, new Map()));
    } catch (error) {
      end(client);
      this.retryLater(error);
      return;
    }
    if (this.isClosed) return end(client);
    this.client = client;
    if (this.isUnreachable) this.logger.warn('Redis is reachable again and counts the requests.');
    this.isUnreachable = false;
  }

  /** Ends the connection, so that every request that waits for it fails at once and goes to the fallback. */
  private drop(client: Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    end(client);
    this.retryLater(error);
  }

  private retryLater(error: unknown): void {
    if (this.isClosed) return;
    if (!this.isUnreachable) {
      this.fallbacks++;
      const message = 'Redis is unreachable; PostgreSQL counts the requests.';
      this.logger.warn({ message, error: describeError(error) });
    }
    this.isUnreachable = true;
    const dueAt = this.attemptedAt + ATTEMPT_INTERVAL_MS;
    this.nextAttempt = setTimeout(() => void this.connect(), Math.max(0, dueAt - performance.now())).unref();
  }
}

const end = (client: Client) => void (client.isOpen && client.destroy());

/**
 * The result, or an error if it takes longer. The timeout elapses in slices, so that a blocked event loop uses up only one
 * of them.
 */
async function withTimeout<Result>(ms: number, result: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    const wait = async (slices: number) => {
      if (slices > 0) timer = setTimeout(() => void wait(slices - 1), ms / TIMEOUT_SLICES);
      else reject(await nextTurn(new Error(`no answer within ${ms} ms`)));
    };
    void wait(TIMEOUT_SLICES);
  });
  return Promise.race([result, timedOut]).finally(() => clearTimeout(timer));
}

function notInstalled(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) {
    throw new Error('The Redis client is not installed. Unset REDIS_URL, or run npm install redis.');
  }
  throw error;
}
