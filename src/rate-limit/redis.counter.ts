import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { createClient } from 'redis';
import { describeError } from '../database/errors';
import { type CountedWindow, WINDOW_MS, type WindowCounter } from './window';

type Client = ReturnType<typeof createClient>;

/** How long Redis may take; then another server counts. */
const PATIENCE_MS = 150;
const SLICES = 3;
const CONNECT_WITHIN_MS = 1_000;
const ATTEMPT_EVERY_MS = 1_000;

const PREFIX = 'ums:rate-limit:';

/** Written like every other key, for a Redis that can only be read is of no use. */
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
 * Counts in Redis, in one script on its clock; and in `fallback` while Redis is out of reach. A request that meets the
 * outage waits for it no longer than a moment, those after it not at all: only a probe, once a second, asks for Redis.
 */
export class RedisCounter implements WindowCounter, OnApplicationShutdown {
  fallbacks = 0;
  private readonly logger = new Logger('RateLimit');
  /** Undefined while Redis is out of reach. */
  private client?: Client;
  private attemptedAt = -Infinity;
  private attempt?: NodeJS.Timeout;
  private isOut = false;
  private isClosed = false;

  private constructor(
    private readonly newClient: () => Client,
    private readonly fallback: WindowCounter,
  ) {}

  /** Redis need not be there yet. */
  static async open(url: string, fallback: WindowCounter): Promise<RedisCounter> {
    const { createClient } = await import('redis').catch(notInstalled);
    const newClient = () =>
      createClient({
        url,
        disableOfflineQueue: true,
        socket: { reconnectStrategy: false, connectTimeout: CONNECT_WITHIN_MS },
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
      return await within(PATIENCE_MS, countIn(client, hits));
    } catch (error) {
      this.lose(client, error);
      return this.fallback.count(hits);
    }
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.attempt);
    if (this.client) end(this.client);
    this.client = undefined;
  }

  private async connect(): Promise<void> {
    this.attemptedAt = performance.now();
    const client = this.newClient();
    client.on('error', (error) => this.lose(client, error));
    try {
      await within(CONNECT_WITHIN_MS, client.connect());
      await within(PATIENCE_MS, countIn(client, PROBE));
    } catch (error) {
      end(client);
      this.outOfReach(error);
      return;
    }
    if (this.isClosed) return end(client);
    this.client = client;
    if (this.isOut) this.logger.warn('Redis is reachable again and counts the requests.');
    this.isOut = false;
  }

  /** All that wait for this connection are told at once, and go to the fallback. */
  private lose(client: Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    end(client);
    this.outOfReach(error);
  }

  private outOfReach(error: unknown): void {
    if (this.isClosed) return;
    if (!this.isOut) {
      this.fallbacks++;
      const message = 'Redis is unreachable; PostgreSQL counts the requests.';
      this.logger.warn({ message, error: describeError(error) });
    }
    this.isOut = true;
    const dueAt = this.attemptedAt + ATTEMPT_EVERY_MS;
    this.attempt = setTimeout(() => void this.connect(), Math.max(0, dueAt - performance.now())).unref();
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
    windows.map(([hitsOfAll, startedAt], i) => [tokenIds[i], { hits: hitsOfAll, startedAt, now }]),
  );
}

const end = (client: Client) => void (client.isOpen && client.destroy());

/**
 * The result, unless it takes longer. Counted in slices: a process that was held up for a while, before it could send
 * or before it could listen, loses one of them and not its patience.
 */
async function within<Result>(ms: number, result: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const wait = async (slices: number) => {
      if (slices > 0) timer = setTimeout(() => void wait(slices - 1), ms / SLICES);
      else reject(await nextTurn(new Error(`no answer within ${ms} ms`)));
    };
    void wait(SLICES);
  });
  return Promise.race([result, late]).finally(() => clearTimeout(timer));
}

function notInstalled(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) {
    throw new Error('The Redis client is not installed. Unset REDIS_URL, or run npm install redis.');
  }
  throw error;
}
