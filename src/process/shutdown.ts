import { setTimeout as sleep } from 'node:timers/promises';
import type { Server, ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { Database } from '../database/data-source';
import { describeError } from '../database/errors';
import { HealthService } from '../health/health.service';

/** What is left of the drain for closing connections and the database. */
const CLOSING_MS = 1_000;

/**
 * Ends the process on SIGTERM and SIGINT without failing a request, within `drainSeconds`. First it only says that it is
 * going (`/readyz`, `Connection: close`) and serves on, for balancers take a moment to notice; then it takes no new
 * connections and finishes what it has. Ctrl-C comes from a person, who has no balancer and does not want to wait.
 */
export function stopOnSignals(
  app: NestExpressApplication,
  database: Database,
  drainSeconds: number,
  log: Logger,
): void {
  const drainMs = drainSeconds * 1000;
  const stop = async (signal: string) => {
    process.on(signal, () => process.exit(1)); // asked twice
    log.info({ signal }, 'shutting down');
    // A database that does not answer must not hold the process beyond its time. What clients were promised is kept.
    setTimeout(() => process.exit(0), drainMs).unref();
    const finishingMs = Math.min(drainMs, Math.max(drainMs / 2, 2 * CLOSING_MS));
    await drain(app, signal === 'SIGTERM' ? drainMs - finishingMs : 0, drainMs - CLOSING_MS);
    await app.close();
    await database.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => {
      stop(signal)
        .catch((error: unknown) => log.error({ error: describeError(error) }, 'could not shut down cleanly'))
        .finally(() => process.exit(0));
    });
  }
}

async function drain(app: NestExpressApplication, servingMs: number, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  const server: Server = app.getHttpServer();
  app.get(HealthService).drain();
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
  await sleep(servingMs);

  let closed = false;
  server.close(() => (closed = true));
  // A connection becomes idle when its last response is out; then it is closed too.
  do {
    server.closeIdleConnections();
    await sleep(20);
  } while (!closed && performance.now() < deadline);
  server.closeAllConnections();
}
