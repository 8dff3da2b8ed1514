import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import type { Server } from 'node:http';
import { HealthService } from '../../src/entry/health/health.service';
import { SERVER_OPTIONS, TIMEOUTS } from '../../src/platform/database/data-source';
import { Database } from '../../src/platform/database/database';

/** What a suite may have otherwise than `DEFAULTS`. */
export interface TestServiceOptions {
  /** Whether the service does its background work by itself; a test that needs one job done calls `runJob()`. */
  background?: boolean;
  /** How long the service waits for locks, statements, connections and callers, before it gives up. */
  limits?: 'real' | 'long';
}

/**
 * In a test, the service does no background work, of which a job would come before a request, or not yet, and waits
 * five times as long before it gives up, or a test on a busy machine would rightly get a 503.
 */
export const DEFAULTS = { background: false, limits: 'long' } satisfies TestServiceOptions;

const TIMES = 5;

const longer = <Times extends Record<string, number>>(times: Times) =>
  Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, TIMES * ms])) as Times;

const LONG_TIMEOUTS = {
  ...longer(TIMEOUTS),
  options: SERVER_OPTIONS.replace(/timeout=(\d+)/g, (_, ms) => `timeout=${TIMES * ms}`),
};

/** For `openDatabase()`. */
export const timeoutsOf = ({ limits = DEFAULTS.limits }: TestServiceOptions): object =>
  limits === 'real' ? TIMEOUTS : LONG_TIMEOUTS;

/** Lengthens how long requests to a service in a host wait for a connection. */
export function lengthenLimits(
  app: INestApplicationContext,
  { limits = DEFAULTS.limits }: TestServiceOptions,
): void {
  if (limits === 'real') return;
  const shares = app.get(Database)['shares'];
  for (const limit of Object.values(shares.limits)) limit.patienceMs! *= TIMES;
}

/** The same, and what only a service on its own has. */
export function lengthenOwnLimits(app: INestApplication<Server>, options: TestServiceOptions): void {
  lengthenLimits(app, options);
  const { limits = DEFAULTS.limits } = options;
  if (limits === 'real') return;
  app.get(HealthService).answerTimeoutMs *= TIMES;
  const server = app.getHttpServer();
  const { timeout, requestTimeout, headersTimeout } = server;
  Object.assign(server, longer({ timeout, requestTimeout, headersTimeout }));
}
