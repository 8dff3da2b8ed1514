import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Logger as Log } from 'pino';
import { poolOf } from '../../platform/database/connections/pool';
import { type OpenDatabase, openDatabase } from '../../platform/database/data-source';
import { Database } from '../../platform/database/database';
import { pendingMigrations } from '../../platform/database/migrate';
import { seedDemo } from '../demo/seed';
import { HealthService } from '../health/health.service';
import { loadMetrics } from '../metrics/load';
import { managementServer } from '../metrics/management';
import { parseIssuerRules } from '../../oauth/token-issuers';
import { schema } from '../../schema';
import { Sender } from '../../webhooks/deliveries/sender';
import { bannerLines, nextStep, type Started } from './banner';
import { bootstrap } from './bootstrap';
import { type Config, isProduction, misspeltVariables, readConfig } from './config';
import { messageOf } from './failure';
import { displayHost, listen } from './listen';
import { createLog, logNodeMessages, NestLog } from './log/log';
import { prettyLog } from './log/pretty-log';
import { createApp } from './setup';
import { requireOrganizations } from '../../organizations/require-organizations';
import { stopOnSignals } from './shutdown';
import { takeOverSignals } from './signals';
import { disablePretenuring } from './v8';

interface Output {
  demo?: boolean;
  json?: boolean;
}

/** Starts the standalone service, and reports its addresses, organization and new admin token on standard output. */
export async function start(env: NodeJS.ProcessEnv, output: Output = {}): Promise<void> {
  try {
    await startService(env, output);
  } catch (error) {
    if (!isProduction(env)) throw error;
    createLog('fatal').fatal(messageOf(error));
    process.exit(1);
  }
}

async function startService(env: NodeJS.ProcessEnv, { demo, json }: Output): Promise<void> {
  disablePretenuring();
  const config = readConfig(env);
  const { stdout } = process;
  const log = createLog(config.logLevel, stdout.isTTY ? prettyLog((text) => stdout.write(text)) : undefined);
  Logger.overrideLogger(new NestLog(log)); // opening the database logs, too
  logNodeMessages(log);
  // Until there is something to drain, a signal ends the process immediately. As PID 1 that requires a handler.
  const abort = () => process.exit(1);
  process.on('SIGTERM', abort).on('SIGINT', abort);
  takeOverSignals();

  const database = await openDatabase(config, schema);
  const { app, addresses } = await serve(config, database, log);
  process.off('SIGTERM', abort).off('SIGINT', abort);
  stopOnSignals(app, database, config.drainSeconds, log);

  const report = (facts: Partial<Started>) => {
    const started: Started = { ...addresses, ...facts };
    if (json) stdout.write(`${JSON.stringify(started)}\n`);
    else if (!config.production) stdout.write(`${bannerLines(started).join('\n')}\n`);
    // In production standard output is the log and nothing else. This line is there at any log level.
    else log.child({}, { level: 'info' }).info(started, nextStep(started) ?? 'started');
  };

  // Without MIGRATE_ON_START, wait until another process has migrated; /readyz answers 503 meanwhile.
  const isMigrated = async () => (await pendingMigrations(database.dataSource)).length === 0;
  if (!(await isMigrated())) {
    report({ waiting: true });
    while (!(await isMigrated().catch(() => false))) await sleep(1_000, undefined, { ref: false });
  }
  const rules = {
    OIDC_ADMINS: config.oidc?.rules ?? [],
    TOKEN_ISSUERS: parseIssuerRules(config.tokenIssuers?.rules ?? []),
  };
  await requireOrganizations(app, rules);
  // The token is created only now, and printed even if adding the sample users fails, because it is shown only once.
  const access = await bootstrap(app, config, Object.values(rules).flat());
  app.get(HealthService).started();
  let sampleUsers: number | undefined;
  try {
    if (demo) sampleUsers = access.organization ? await seedDemo(app, access.organization.id) : 0;
  } finally {
    report({ ...access, sampleUsers });
  }
  for (const sentence of misspeltVariables(env)) log.warn(sentence);
}

/** Creates the application and listens. It is not ready yet. */
async function serve(config: Config, database: OpenDatabase, log: Log) {
  const hasMetrics = config.managementPort !== undefined;
  const metrics = hasMetrics ? await loadMetrics('MANAGEMENT_PORT', poolOf(database.dataSource)) : undefined;
  metrics?.watchProcess();
  const app = await createApp(config, database, log, (record) => metrics?.count(record));
  const health = app.get(HealthService);
  health.start();
  metrics?.watch(app.get(Database), app.get(Sender).counts);
  // Not with app.listen(), which would also log the failure as it is.
  await app.init();
  const port = await listen(app.getHttpServer(), 'PORT', config.port, config.host);
  const managementPort =
    metrics &&
    (await listen(managementServer(metrics, health), 'MANAGEMENT_PORT', config.managementPort!, config.host));
  const urlOf = (port: number) => `http://${displayHost(config.host)}:${port}`;
  const addresses = {
    url: urlOf(port),
    dashboard: `${urlOf(port)}/dashboard`,
    signIn: config.oidc?.rules.length ? `${config.oidc.publicUrl}/dashboard` : undefined,
    metrics: managementPort === undefined ? undefined : `${urlOf(managementPort)}/metrics`,
    host: config.host,
    dataDir: config.databaseUrl === undefined ? resolve(config.dataDir) : undefined,
  };
  return { app, addresses };
}
