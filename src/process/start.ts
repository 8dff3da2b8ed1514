import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, rateLimitStorage } from './setup';
import { wayIn, type WayIn } from './bootstrap';
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

/** Starts the standalone service, and says on standard output where it is and how to get in. */
export async function start(
  env: NodeJS.ProcessEnv,
  { demo, json }: { demo?: boolean; json?: boolean } = {},
): Promise<void> {
  disablePretenuring();
  const config = readConfig(env);
  const { stdout } = process;
  const log = createLog(config.logLevel, stdout.isTTY ? prettyLog((text) => stdout.write(text)) : undefined);
  // Until there is something to drain, a signal ends the process at once, also as the first process of a container.
  const abort = () => process.exit(1);
  process.on('SIGTERM', abort).on('SIGINT', abort);
  takeOverSignals();

  const database = await openDatabase(config, schema);
  // Loaded where they are asked for: their library takes more memory than the service's own code.
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
  const at = (port: number) => `http://${shownHost(config.host)}:${port}`;
  const url = at(port);
  const dashboard = `${url}/dashboard`;
  const metricsUrl = managementPort === undefined ? undefined : `${at(managementPort)}/metrics`;
  const say = (state: WayIn | { waiting: true }) =>
    void process.stdout.write(
      json
        ? `${JSON.stringify({ url, dashboard, metrics: metricsUrl, ...state })}\n`
        : `${lines(url, dashboard, metricsUrl, state).join('\n')}\n`,
    );

  // Not ready until somebody else has migrated; how to get in is then told a second time.
  const isMigrated = async () => (await pendingMigrations(database.dataSource)).length === 0;
  if (!(await isMigrated())) {
    say({ waiting: true });
    while (!(await isMigrated().catch(() => false))) await sleep(1_000, undefined, { ref: false });
  }
  // A new token is made as late as this and told at once: nobody can ask for it again.
  const way = await wayIn(database.dataSource, config);
  try {
    if (demo && way.organization) await seedDemo(database.dataSource, way.organization.id);
  } finally {
    say(way);
  }
}

function lines(
  url: string,
  dashboard: string,
  metricsUrl: string | undefined,
  state: WayIn | { waiting: true },
): string[] {
  const said = [`User Management Service at ${url}`, `Dashboard: ${dashboard}`];
  if (metricsUrl) said.push(`Metrics at ${metricsUrl}`);
  if ('waiting' in state) return [...said, 'The schema is older than this release. Run: ums migrate'];
  const { organization, organizations, token, admins } = state;
  if (organization) {
    const more = organizations > 1 ? ` and ${organizations - 1} more` : '';
    said.push(`Organization: ${printable(organization.name)} (${organization.id})${more}`);
  }
  if (token) said.push(`Admin token, shown this once: ${token}`);
  else if (!admins) {
    said.push(
      'There is no admin token. Make one with: ums organizations create <name>, then: ums tokens create --organization <id> --name <name> --scopes admin',
      'or start a new database with BOOTSTRAP_TOKEN set to a value from: ums tokens generate',
    );
  }
  return said;
}

/** An address that a browser on this machine can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
