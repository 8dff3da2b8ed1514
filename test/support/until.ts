import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { workersOf } from './database';

type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>;

/** Waits until the condition holds, and returns what it has returned. If it never does, Jest ends the test. */
export async function until<T>(condition: () => T | Promise<T>, pauseMs = 20): Promise<Truthy<T>> {
  for (;;) {
    const value = await condition();
    if (value) return value as Truthy<T>;
    await sleep(pauseMs);
  }
}

/** How many statements of the database wait for a lock, at all nodes of a cluster. */
async function countBlocked(dataSource: DataSource, workers: pg.Client[], pattern: string): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`;
  const counts = [(await dataSource.query(sql, [pattern]))[0].count];
  for (const worker of workers) counts.push((await worker.query(sql, [pattern])).rows[0].count);
  return counts.reduce((sum, count) => sum + count);
}

/** Long enough for a machine that is busy. Without it, a lost lock would fail a test only after Jest's timeout. */
const MAX_UNBLOCKED_MS = 120_000;

/** Waits until so many statements that match the pattern wait for a lock. */
export async function untilBlocked(dataSource: DataSource, count = 1, pattern = '%'): Promise<void> {
  const [{ name }] = await dataSource.query('SELECT current_database() AS name');
  const workers = workersOf(name).map((url) => new pg.Client(url));
  try {
    for (const worker of workers) await worker.connect();
    const end = Date.now() + MAX_UNBLOCKED_MS;
    await until(async () => {
      if (Date.now() > end) throw new Error(`No ${count} statements like ${pattern} wait for a lock.`);
      return (await countBlocked(dataSource, workers, pattern)) >= count;
    }, 10);
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}
