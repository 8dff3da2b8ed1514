import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../background/background';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { networkOf } from './network';
import { PostgresStorage } from './postgres.storage';
import { RateLimitWindow } from './rate-limit-window.entity';
import { windowKey, type WindowRecord } from './window';

const HOUR_MS = 60 * 60_000;

const DELETE_EVERY_MS = 10 * 60_000;
const WINDOWS_PER_STATEMENT = 1_000;

/** Callers without a token belong to no organization; their windows are stored beside those of tokens. */
const NO_ORGANIZATION = '';

/**
 * Counts the sign-ins of each network, in hours that start with the first one, across all processes and always in
 * PostgreSQL, wherever requests are counted. Addresses are personal data: only hashes are stored, for about an hour.
 */
@Injectable()
export class NetworkLimiter implements OnModuleInit {
  private readonly windows: PostgresStorage;

  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {
    // Within the share of one organization: anybody may call, and must leave connections to those with a token.
    this.windows = new PostgresStorage(database, true, HOUR_MS);
  }

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.deleteExpired(signal);
    this.background.add({ name: 'delete expired windows of networks', everyMs: DELETE_EVERY_MS, run });
  }

  /** A network over its limit causes no statement until its hour is over. */
  count(address: string | undefined, limit: number): Promise<WindowRecord> {
    const key = windowKey(NO_ORGANIZATION, hash('sha256', networkOf(address)));
    return this.windows.increment(key, HOUR_MS, limit);
  }

  async deleteExpired(signal?: AbortSignal): Promise<void> {
    // A window in use starts anew by itself, and waiting for its lock could deadlock.
    const expired = sql`
      DELETE FROM ${RateLimitWindow} WHERE organization_id = ${NO_ORGANIZATION} AND token_id = ANY (ARRAY(
        SELECT token_id FROM ${RateLimitWindow}
        WHERE organization_id = ${NO_ORGANIZATION} AND started_ms <= extract(epoch FROM now()) * 1000 - ${HOUR_MS}::integer
        LIMIT ${WINDOWS_PER_STATEMENT} FOR UPDATE SKIP LOCKED))`;
    while ((await this.database.execute(NO_ORGANIZATION, expired)) === WINDOWS_PER_STATEMENT)
      if (signal?.aborted) return;
  }
}
