import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { createClient } from 'redis';
import { describeError } from '../database/errors';
import { type CountedWindow, WINDOW_MS, type WindowCounter } from './window';

type Client = ReturnType<typeof createClient>;

/** How long Redis may take to answer before the fallback counts. */
const ANSWER_TIMEOUT_MS = 150;
const CONNECT_TIMEOUT_MS = 1_000;
const ATTEMPT_INTERVAL_MS = 1_000;

/** The steps in which a timeout elapses. */
const TIMEOUT_SLICES = 3;

const PREFIX = 'ums:rate-limit:';

/** Written like every other key, because a read-only Redis cannot count. */
const PROBE = new Map([['probe', 0]]);

const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local windows = {}
for i, key in ipairs(KEYS) do
  local startedAt = tonumber(redis.call('HGET', key, 'startedAt'))
  if not startedAt or now >= startedAt + ${WINDOW_MS} then
    startedAt = now
    redis.call('DEL', key)
    redis.call('HSET', key, 'startedAt', now)
    redis.call('PEXPIREAT', key, now + ${WINDOW_MS})
  end
  windows[i] = { redis.call('HINCRBY', key, 'hits', ARGV[i]), startedAt }
end
return { now, windows }`;

/**
 * Counts in Redis, in one script on its clock, and in `fallback` while Redis is unreachable. The requests in flight at the
 * start of an outage wait at most `ANSWER_TIMEOUT_MS`. Later ones do not wait: only a probe tries Redis, once a second.
 */
export class RedisCounter implements WindowCounter, OnApplicationShutdown {
  fallbacks = 0;
  private readonly logger = new Logger('RateLimit');
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
    return this.client ? 'redis' : this.fallback.storage;
  }

  async count(hits: ReadonlyMap<string, number>): Promise<Map<string, CountedWindow>> {
    const { client } = this;
    if (!client) return this.fallback.count(hits);
    try {
      return await withTimeout(ANSWER_TIMEOUT_MS, countIn(client, hits));
    } catch (error) {
      this.drop(client, error);
      return this.fallback.count(hits);
    }
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.nextAttempt);
    if (this.client) end(this.client);
    this.client = undefined;
  }

  private async connect(): Promise<void> {
    this.attemptedAt = performance.now();
    const client = this.newClient();
    client.on('error', (error) => this.drop(client, error));
    try {
      await withTimeout(CONNECT_TIMEOUT_MS, client.connect());
      await withTimeout(ANSWER_TIMEOUT_MS, countIn(client, PROBE));
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

async function countIn(
  client: Client,
  hits: ReadonlyMap<string, number>,
): Promise<Map<string, CountedWindow>> {
  const tokenIds = [...hits.keys()];
  const [now, windows] = (await client.eval(SCRIPT, {
    keys: tokenIds.map((id) => PREFIX + id),
    arguments: [...hits.values()].map(String),
  })) as [number, [number, number][]];
  return new Map(
    windows.map(([totalHits, startedAt], i) => [tokenIds[i], { hits: totalHits, startedAt, now }]),
  );
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
