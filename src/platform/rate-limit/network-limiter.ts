import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Background } from '../background/background';
import { Database } from '../database/database';
import { sql } from '../database/sql';
import { COMMON_SHARE } from '../fairness/owners';
import { networkOf } from '../http/server/network';
import { PostgresStorage } from './postgres.storage';
import { RateLimitWindow } from './rate-limit-window.entity';
import { WINDOW_MS, windowKey, type WindowRecord } from './window';

const HOUR_MS = 60 * 60_000;

const DELETE_EVERY_MS = 10 * 60_000;

/** What a network may do without a token. */
export interface NetworkLimit {
  /** Tells its windows from those of other limits. */
  name: string;
  /** How many in a window. */
  limit: number;
  /** The length of a window, which starts with the first one. */
  per: 'minute' | 'hour';
}

/**
 * Counts what a network does across all processes, always in PostgreSQL, wherever requests are counted. Addresses are
 * personal data: only hashes are stored, for about an hour.
 */
@Injectable()
export class NetworkLimiter implements OnModuleInit {
  private readonly windows: Record<NetworkLimit['per'], PostgresStorage>;

  constructor(
    database: Database,
    private readonly background: Background,
  ) {
    // Within the share of one organization: anybody may call, and must leave connections to those with a token.
    const windowsOf = (windowMs: number) => new PostgresStorage(database, true, windowMs);
    this.windows = { minute: windowsOf(WINDOW_MS), hour: windowsOf(HOUR_MS) };
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

  /** A network over its limit causes no statement until its window is over. */
  count(address: string | undefined, limit: NetworkLimit): Promise<WindowRecord> {
    return this.windows[limit.per].increment(keyOf(address, limit), 0, limit.limit);
  }

  /** Whether this process knows that the network is over its limit. Causes no statement. */
  isBlocked(address: string | undefined, limit: NetworkLimit): boolean {
    return this.windows[limit.per].exhaustedWindow(keyOf(address, limit)) !== undefined;
  }
}

const keyOf = (address: string | undefined, { name }: NetworkLimit): string =>
  windowKey(COMMON_SHARE, hash('sha256', `${name} ${networkOf(address)}`));
