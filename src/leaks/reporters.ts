import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../background/background';
import { DATABASE } from '../database/data-source';
import { tableName } from '../database/tables';
import { SharedStorage } from '../rate-limit/shared.storage';
import type { CountedWindow, WindowRecord } from '../rate-limit/window';

/** How many reports a network may send in an hour, which begins with its first one. */
export const REPORTS_PER_HOUR = 60;
const HOUR_MS = 60 * 60_000;

const FORGET_EVERY_MS = 10 * 60_000;
const NETWORKS_PER_BITE = 1_000;

interface WindowRow {
  network: string;
  reports: number;
  startedAt: Date;
  now: Date;
}

/**
 * Counts the reports of each network, of all processes together, on the database's clock. Addresses are personal data: only hashes
 * are kept, and not for long.
 */
@Injectable()
export class Reporters implements OnModuleInit {
  private readonly windows: SharedStorage;

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
  ) {
    const count = (reports: ReadonlyMap<string, number>) => this.add(reports);
    this.windows = new SharedStorage({ storage: 'postgres', fallbacks: 0, isApart: false, count }, HOUR_MS);
  }

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.forget(signal);
    this.background.add({ name: 'forget who has reported leaks', everyMs: FORGET_EVERY_MS, run });
  }

  /** A network that is blocked causes no statement until its hour is over. */
  count(network: string): Promise<WindowRecord> {
    return this.windows.increment(hash('sha256', network), HOUR_MS, REPORTS_PER_HOUR);
  }

  /** Removes the networks whose hour is over. */
  async forget(signal?: AbortSignal): Promise<void> {
    let removed = NETWORKS_PER_BITE;
    while (removed === NETWORKS_PER_BITE && !signal?.aborted) {
      [, removed] = await this.dataSource.query(
        `DELETE FROM ${this.table()} WHERE network_hash IN (
           SELECT network_hash FROM ${this.table()} WHERE started_at <= now() - interval '1 hour' LIMIT ${NETWORKS_PER_BITE})`,
      );
    }
  }

  private async add(reports: ReadonlyMap<string, number>): Promise<Map<string, CountedWindow>> {
    const lives = `excluded.started_at < known.started_at + interval '1 hour'`;
    const rows: WindowRow[] = await this.dataSource.query(
      `INSERT INTO ${this.table()} AS known (network_hash, reports, started_at)
       SELECT network, reports, clock_timestamp() FROM unnest($1::text[], $2::integer[]) AS added (network, reports)
       ORDER BY network -- the same order everywhere, or two replicas deadlock
       ON CONFLICT ON CONSTRAINT leak_reporters_pkey DO UPDATE SET
         reports    = CASE WHEN ${lives} THEN known.reports + excluded.reports ELSE excluded.reports END,
         started_at = CASE WHEN ${lives} THEN known.started_at ELSE excluded.started_at END
       RETURNING network_hash AS network, reports, started_at AS "startedAt", clock_timestamp()::timestamptz(3) AS now`,
      [[...reports.keys()], [...reports.values()]],
    );
    return new Map(
      rows.map(({ network, reports, startedAt, now }) => [
        network,
        { hits: reports, startedAt: startedAt.getTime(), now: now.getTime() },
      ]),
    );
  }

  private table(): string {
    return tableName(this.dataSource, 'leak_reporters');
  }
}
