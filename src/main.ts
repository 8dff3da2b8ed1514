import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { bootstrap, hasAdminToken } from './bootstrap';
import { createApp } from './app.setup';
import { type Config, readConfig } from './config';
import { openDatabase } from './database/data-source';
import { createLog } from './log';
import { OrganizationsService } from './organizations/organizations.service';
import { stopOnSignals } from './shutdown';
import { Token } from './tokens/token.entity';
import { newTokenValue } from './tokens/token-value';
import { schema } from './user-management.module';

/** Starts the standalone service, and says on standard output where it is and how to get in. */
export async function start(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  const database = await openDatabase(config, schema);
  const app = await createApp(config, database, log);
  const newToken = await makeWayIn(config, database.dataSource);

  const server = app.getHttpServer();
  await app.listen(config.port, config.host);
  if (!server.listening) await once(server, 'listening');
  stopOnSignals(app, database, config.drainSeconds, log);

  const [organization, ...others] = await app.get(OrganizationsService).list();
  const lines = [
    `User Management Service at http://${shownHost(config.host)}:${(server.address() as AddressInfo).port}`,
    organization &&
      `Organization: ${organization.name} (${organization.id})${others.length ? ` and ${others.length} more` : ''}`,
    newToken && `Admin token, shown this once: ${newToken}`,
    !newToken && !(await hasAdminToken(database.dataSource.getRepository(Token))) && NO_WAY_IN,
  ];
  process.stdout.write(`${lines.filter(Boolean).join('\n')}\n`);
}

const NO_WAY_IN = `There is no admin token yet. Make one with: ums organizations create <name>, then: ums tokens create --organization <id> --name <name> --scopes admin
or start with BOOTSTRAP_TOKEN set to a value from: ums tokens generate`;

/** Bootstraps; returns the token that has to be shown, which is only ever one that the service made up itself. */
async function makeWayIn(
  config: Config,
  dataSource: Parameters<typeof bootstrap>[0],
): Promise<string | undefined> {
  const embedded = config.databaseUrl === undefined;
  const value = config.bootstrapToken ?? (embedded ? newTokenValue() : undefined);
  if (value === undefined) return undefined;
  const made = await bootstrap(dataSource, config.bootstrapOrganization, value);
  return made && config.bootstrapToken === undefined ? value : undefined;
}

/** An address that a browser on this machine can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
