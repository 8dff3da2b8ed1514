import type { createClient } from 'redis';
import {
  type CountedWindow,
  idsOf,
  MAX_AHEAD_MS,
  SAME_WINDOW_MS,
  type SeenWindow,
  WINDOW_MS,
} from './window';

export type Client = ReturnType<typeof createClient>;

const PREFIX = 'ums:rate-limit:';

const NOT_SEEN: SeenWindow = { hits: 0, remainingMs: 0 };

/** For each key: the hits to add, and the hits and remaining time of the window that the process has seen. */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local windows = {}
for i, key in ipairs(KEYS) do
  local added = ARGV[3 * i - 2]
  local seenHits = tonumber(ARGV[3 * i - 1])
  local seenAt = now - ${WINDOW_MS} + ARGV[3 * i]
  local window = redis.call('HMGET', key, 'startedAt', 'hits')
  local startedAt = tonumber(window[1])
  if not startedAt or now >= startedAt + ${WINDOW_MS} or now < startedAt - ${MAX_AHEAD_MS} then
    startedAt = seenHits > 0 and seenAt or now
    redis.call('DEL', key)
    redis.call('HSET', key, 'startedAt', startedAt, 'hits', seenHits)
    redis.call('PEXPIREAT', key, startedAt + ${WINDOW_MS})
  elseif seenHits > tonumber(window[2]) and seenAt > startedAt - ${SAME_WINDOW_MS} then
    redis.call('HSET', key, 'hits', seenHits)
  end
  windows[i] = { redis.call('HINCRBY', key, 'hits', added), startedAt }
end
return { now, windows }`;

/** Counts in Redis, in one script on its clock. A window with fewer hits than the process has seen continues from the seen hits. */
export async function countIn(
  client: Client,
  hits: ReadonlyMap<string, number>,
  seen: ReadonlyMap<string, SeenWindow>,
): Promise<Map<string, CountedWindow>> {
  const keys = [...hits.keys()];
  const [now, windows] = (await client.eval(SCRIPT, {
    keys: keys.map((key) => PREFIX + idsOf(key)[1]),
    arguments: keys.flatMap((key) => {
      const window = seen.get(key) ?? NOT_SEEN;
      return [hits.get(key)!, window.hits, window.remainingMs].map(String);
    }),
  })) as [number, [number, number][]];
  return new Map(windows.map(([totalHits, startedAt], i) => [keys[i], { hits: totalHits, startedAt, now }]));
}
