import { setTimeout as sleep } from 'node:timers/promises';
import type { Server, ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { Database } from './database/data-source';
import { HealthService } from './health/health.service';

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
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    const deadline = performance.now() + drainSeconds * 1000;
    log.info({ signal }, 'shutting down');
    await drain(app, signal === 'SIGTERM' ? (drainSeconds * 1000) / 2 : 0, deadline - CLOSING_MS);
    await app.close();
    await database.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(signal));
}

async function drain(app: NestExpressApplication, servingMs: number, deadline: number): Promise<void> {
  const server: Server = app.getHttpServer();
  app.get(HealthService).drain();
  server.prependListener('request', (_request, response: ServerResponse) =>
    response.setHeader('Connection', 'close'),
  );
  await sleep(servingMs);

  let closed = false;
  server.close(() => (closed = true));
  // A connection becomes idle when its last response is out; then it is closed too.
  while (!closed && performance.now() < deadline) {
    server.closeIdleConnections();
    await sleep(20);
  }
  server.closeAllConnections();
}
