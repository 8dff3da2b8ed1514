import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../background/background';
import { isDistributed } from '../database/citus/is-distributed';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { PostgresCounter } from '../rate-limit/postgres.counter';
import { RateLimitWindow } from '../rate-limit/rate-limit-window.entity';
import { SharedStorage } from '../rate-limit/shared.storage';
import { windowKey, type WindowRecord } from '../rate-limit/window';

/** How many reports a network may send in an hour, which starts with its first report. */
const REPORTS_PER_HOUR = 60;
const HOUR_MS = 60 * 60_000;

const DELETE_EVERY_MS = 10 * 60_000;
const WINDOWS_PER_STATEMENT = 1_000;

/** Reporters belong to no organization; their windows are stored beside those of tokens. */
const NO_ORGANIZATION = '';

/**
 * Counts the reports of each network across all processes, always in PostgreSQL, wherever requests are counted. Addresses are
 * personal data: only hashes are stored, and only for about an hour.
 */
@Injectable()
export class ReportLimiter implements OnModuleInit {
  private windows: SharedStorage;

  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  async onModuleInit(): Promise<void> {
    const countsPerOrganization = await isDistributed(this.database.dataSource);
    this.windows = new SharedStorage(new PostgresCounter(this.database, countsPerOrganization, HOUR_MS));
    const run = (signal: AbortSignal) => this.deleteExpired(signal);
    this.background.add({ name: 'delete expired windows of leak reports', everyMs: DELETE_EVERY_MS, run });
  }

  /** A network over its limit causes no statement until its hour is over. */
  count(network: string): Promise<WindowRecord> {
    const key = windowKey(NO_ORGANIZATION, hash('sha256', network));
    return this.windows.increment(key, HOUR_MS, REPORTS_PER_HOUR);
  }

  async deleteExpired(signal?: AbortSignal): Promise<void> {
    // A window in use starts anew by itself, and waiting for its lock could deadlock.
    const expired = sql`
      DELETE FROM ${RateLimitWindow} WHERE organization_id = ${NO_ORGANIZATION} AND token_id = ANY (ARRAY(
        SELECT token_id FROM ${RateLimitWindow}
        WHERE organization_id = ${NO_ORGANIZATION} AND started_ms <= extract(epoch FROM now()) * 1000 - ${HOUR_MS}::integer
        LIMIT ${WINDOWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED))`;
    let deleted = WINDOWS_PER_STATEMENT;
    while (deleted === WINDOWS_PER_STATEMENT && !signal?.aborted)
      deleted = await this.database.execute(NO_ORGANIZATION, expired);
  }
}
