import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, rateLimitStorage } from './setup';
import { type Access, bootstrap } from './bootstrap';
import { takeOverSignals } from './signals';
import { readConfig } from './config';
import { openDatabase } from '../database/data-source';
import { pendingMigrations } from '../database/migrate';
import { seedDemo } from '../demo/seed';
import { HealthService } from '../health/health.service';
import { createLog } from './log';
import { serveManagement } from '../metrics/management';
import { prettyLog } from './pretty-log';
import { printable } from './printable';
import { disablePretenuring, releaseStartMemory } from './v8';
import { COUNTER } from '../rate-limit/rate-limit.module';
import { stopOnSignals } from './shutdown';
import { schema } from '../schema';

/** Starts the standalone service and prints its addresses, organization and new admin token to standard output. */
export async function start(
  env: NodeJS.ProcessEnv,
  { demo, json }: { demo?: boolean; json?: boolean } = {},
): Promise<void> {
  disablePretenuring();
  const config = readConfig(env);
  const { stdout } = process;
  const log = createLog(config.logLevel, stdout.isTTY ? prettyLog((text) => stdout.write(text)) : undefined);
  // Until there is something to drain, a signal ends the process immediately. As PID 1 that requires a handler.
  const abort = () => process.exit(1);
  process.on('SIGTERM', abort).on('SIGINT', abort);
  takeOverSignals();

  const database = await openDatabase(config, schema);
  // Imported only when enabled, because prom-client takes more memory than the service's own code.
  const metrics =
    config.managementPort === undefined
      ? undefined
      : new (await import('../metrics/metrics.js')).Metrics(database.dataSource);
  const app = await createApp(config, database, log, (record) => metrics?.count(record));
  const storage = rateLimitStorage(config);
  metrics?.watchLimiter(
    storage === 'memory' ? { storage, fallbacks: 0 } : app.get(COUNTER, { strict: false }),
  );
  await releaseStartMemory();
  await app.listen(config.port, config.host);
  const managementPort =
    metrics && (await serveManagement(config.managementPort!, config.host, metrics, app.get(HealthService)));
  process.off('SIGTERM', abort).off('SIGINT', abort);
  stopOnSignals(app, database, config.drainSeconds, log);

  const { port } = app.getHttpServer().address() as AddressInfo;
  const urlOf = (port: number) => `http://${displayHost(config.host)}:${port}`;
  const url = urlOf(port);
  const dashboard = `${url}/dashboard`;
  const metricsUrl = managementPort === undefined ? undefined : `${urlOf(managementPort)}/metrics`;
  const report = (state: Access | { waiting: true }) =>
    void process.stdout.write(
      json
        ? `${JSON.stringify({ url, dashboard, metrics: metricsUrl, ...state })}\n`
        : `${startLines(url, dashboard, metricsUrl, state).join('\n')}\n`,
    );

  // Without MIGRATE_ON_START, wait until another process has migrated; /readyz answers 503 meanwhile.
  const isMigrated = async () => (await pendingMigrations(database.dataSource)).length === 0;
  if (!(await isMigrated())) {
    report({ waiting: true });
    while (!(await isMigrated().catch(() => false))) await sleep(1_000, undefined, { ref: false });
  }
  // The token is created only now, and printed even if adding the sample users fails, because it is shown only once.
  const access = await bootstrap(database.dataSource, config);
  try {
    if (demo && access.organization) await seedDemo(database.dataSource, access.organization.id);
  } finally {
    report(access);
  }
}

function startLines(
  url: string,
  dashboard: string,
  metricsUrl: string | undefined,
  state: Access | { waiting: true },
): string[] {
  const lines = [`User Management Service at ${url}`, `Dashboard: ${dashboard}`];
  if (metricsUrl) lines.push(`Metrics at ${metricsUrl}`);
  if ('waiting' in state) return [...lines, 'The schema is older than this release. Run: ums migrate'];
  const { organization, organizations, token, admins } = state;
  if (organization) {
    const more = organizations > 1 ? ` and ${organizations - 1} more` : '';
    lines.push(`Organization: ${printable(organization.name)} (${organization.id})${more}`);
  }
  if (token) lines.push(`Admin token, shown only once: ${token}`);
  else if (!admins) {
    lines.push(
      'There is no active admin token. Create one with: ums organizations create <name>, then: ums tokens create --organization <id> --name <name> --scopes admin',
      'or, on a new database, start with BOOTSTRAP_TOKEN set to a value from: ums tokens generate',
    );
  }
  return lines;
}

/** The host as a browser on this machine can open it. */
function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
