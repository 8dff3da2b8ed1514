import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../background/background';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { networkOf } from '../http/server/network';
import { PostgresStorage } from './postgres.storage';
import { RateLimitWindow } from './rate-limit-window.entity';
import { windowKey, type WindowRecord } from './window';

const HOUR_MS = 60 * 60_000;

const DELETE_EVERY_MS = 10 * 60_000;

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
    database: Database,
    private readonly background: Background,
  ) {
    // Within the share of one organization: anybody may call, and must leave connections to those with a token.
    this.windows = new PostgresStorage(database, true, HOUR_MS);
  }

  onModuleInit(): void {
    // A window in use starts anew by itself, and waiting for its lock could deadlock.
    this.background.removeOld({
      name: 'delete expired windows of networks',
      everyMs: DELETE_EVERY_MS,
      statement: (organizationId, limit) => sql`
        DELETE FROM ${RateLimitWindow} WHERE organization_id = ${organizationId} AND token_id = ANY (ARRAY(
          SELECT token_id FROM ${RateLimitWindow}
          WHERE organization_id = ${organizationId} AND started_ms <= extract(epoch FROM now()) * 1000 - ${HOUR_MS}::integer
          LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
    });
  }

  /** A network over its limit causes no statement until its hour is over. */
  count(address: string | undefined, limit: number): Promise<WindowRecord> {
    const key = windowKey(NO_ORGANIZATION, hash('sha256', networkOf(address)));
    return this.windows.increment(key, HOUR_MS, limit);
  }
}
