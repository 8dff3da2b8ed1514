import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../background/background';
import { isDistributed } from '../database/citus/is-distributed';
import { DATABASE } from '../database/data-source';
import { Lanes } from '../database/lanes';
import { tableName } from '../database/tables';
import { PostgresCounter } from '../rate-limit/postgres.counter';
import { SharedStorage } from '../rate-limit/shared.storage';
import { windowKey, type WindowRecord } from '../rate-limit/window';

/** How many reports a network may send in an hour, which begins with its first one. */
const REPORTS_PER_HOUR = 60;
const HOUR_MS = 60 * 60_000;

const DELETE_EVERY_MS = 10 * 60_000;
const BATCH = 1_000;

/** Reporters belong to no organization; their windows are beside those of tokens. */
const NO_ORGANIZATION = '';

/**
 * Counts the reports of each network in PostgreSQL, of all processes together, wherever requests are counted. Addresses are personal
 * data: only hashes are kept, and not for long.
 */
@Injectable()
export class ReportLimiter implements OnModuleInit {
  private windows: SharedStorage;

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
    private readonly background: Background,
  ) {}

  async onModuleInit(): Promise<void> {
    const isApart = await isDistributed(this.dataSource);
    this.windows = new SharedStorage(new PostgresCounter(this.dataSource, this.lanes, isApart, HOUR_MS));
    const run = (signal: AbortSignal) => this.deleteExpired(signal);
    this.background.add({ name: 'delete expired windows of leak reports', everyMs: DELETE_EVERY_MS, run });
  }

  /** A network that is blocked causes no statement until its hour is over. */
  count(network: string): Promise<WindowRecord> {
    const key = windowKey(NO_ORGANIZATION, hash('sha256', network));
    return this.windows.increment(key, HOUR_MS, REPORTS_PER_HOUR);
  }

  async deleteExpired(signal?: AbortSignal): Promise<void> {
    const windows = tableName(this.dataSource, 'rate_limit_windows');
    let removed = BATCH;
    while (removed === BATCH && !signal?.aborted) {
      // A window that somebody is counting in begins anew, and waiting for it could deadlock.
      [, removed] = await this.dataSource.query(
        `DELETE FROM ${windows} WHERE organization_id = $1 AND token_id = ANY (ARRAY(
           SELECT token_id FROM ${windows}
           WHERE organization_id = $1 AND started_ms <= extract(epoch FROM now()) * 1000 - $2::integer
           LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
        [NO_ORGANIZATION, HOUR_MS],
      );
    }
  }
}
