import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { bootstrap, hasAdminToken } from './bootstrap';
import { createApp } from './app.setup';
import { type Config, readConfig } from './config';
import { openDatabase } from './database/data-source';
import { pendingMigrations } from './database/migrate';
import { createLog } from './log';
import { Organization } from './organizations/organization.entity';
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

  const server = app.getHttpServer();
  const isMigrated = async () => (await pendingMigrations(database.dataSource)).length === 0;
  const wayIn = (await isMigrated()) ? await makeWayIn(config, database.dataSource) : undefined;
  await app.listen(config.port, config.host);
  stopOnSignals(app, database, config.drainSeconds, log);

  const { port } = server.address() as AddressInfo;
  say(`User Management Service at http://${shownHost(config.host)}:${port}`, ...(wayIn ?? [WAITING]));
  // Not ready until somebody else has migrated; what there is to do and to say then waits for that.
  while (!wayIn) {
    await sleep(1_000, undefined, { ref: false });
    if (await isMigrated().catch(() => false)) return say(...(await makeWayIn(config, database.dataSource)));
  }
}

const say = (...lines: string[]) => void process.stdout.write(`${lines.join('\n')}\n`);

const WAITING = 'The schema is older than this release. Run: ums migrate';

const NO_WAY_IN = `There is no admin token yet. Make one with: ums organizations create <name>, then: ums tokens create --organization <id> --name <name> --scopes admin
or start with BOOTSTRAP_TOKEN set to a value from: ums tokens generate`;

/** Bootstraps, and tells the organization and how to get in. Only a token that the service made up itself is shown. */
async function makeWayIn(config: Config, dataSource: DataSource): Promise<string[]> {
  const embedded = config.databaseUrl === undefined;
  const value = config.bootstrapToken ?? (embedded ? newTokenValue() : undefined);
  const made = value !== undefined && (await bootstrap(dataSource, config.bootstrapOrganization, value));

  const [organization, ...others] = await new OrganizationsService(
    dataSource.getRepository(Organization),
  ).list();
  const lines = [];
  if (organization) {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    lines.push(`Organization: ${organization.name} (${organization.id})${more}`);
  }
  if (made && config.bootstrapToken === undefined) lines.push(`Admin token, shown this once: ${value}`);
  if (!(await hasAdminToken(dataSource.getRepository(Token)))) lines.push(NO_WAY_IN);
  return lines;
}

/** An address that a browser on this machine can open. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
