import { setTimeout as sleep } from 'node:timers/promises';
import type { Server, ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { OpenDatabase } from '../../platform/database/data-source';
import { describeError } from '../../platform/database/errors';
import { HealthService } from '../health/health.service';

/** The part of the drain that is reserved for closing connections and the database. */
const CLOSING_MS = 1_000;

/**
 * Ends the process on SIGTERM or SIGINT within `drainSeconds`, without failing a request. On SIGTERM it first announces
 * the shutdown (`/readyz`, `Connection: close`) and keeps serving, because balancers take a moment to notice. Then it
 * accepts no new connections and finishes the open requests. SIGINT (Ctrl-C) skips the first phase.
 */
export function stopOnSignals(
  app: NestExpressApplication,
  database: OpenDatabase,
  drainSeconds: number,
  log: Logger,
): void {
  const drainMs = drainSeconds * 1000;
  const stop = async (signal: string) => {
    process.on(signal, () => process.exit(1)); // on a second signal
    log.info({ signal }, 'shutting down');
    // Exit in time even if the database does not respond. Writes that were answered are already committed.
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
  // Busy connections become idle after their last response and are closed on a later turn.
  do {
    server.closeIdleConnections();
    await sleep(20);
  } while (!closed && performance.now() < deadline);
  server.closeAllConnections();
}
