import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.setup';
import { wayIn, type WayIn } from './bootstrap';
import { printable } from './cli/output';
import { readConfig } from './config';
import { openDatabase } from './database/data-source';
import { pendingMigrations } from './database/migrate';
import { createLog } from './log';
import { stopOnSignals } from './shutdown';
import { schema } from './user-management.module';

/** Starts the standalone service, and says on standard output where it is and how to get in. */
export async function start(env: NodeJS.ProcessEnv, { json }: { json?: boolean } = {}): Promise<void> {
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  // Until there is something to drain, a signal ends the process at once, also as the first process of a container.
  const abort = () => process.exit(1);
  process.on('SIGTERM', abort).on('SIGINT', abort);

  const database = await openDatabase(config, schema);
  const app = await createApp(config, database, log);
  await app.listen(config.port, config.host);
  process.off('SIGTERM', abort).off('SIGINT', abort);
  stopOnSignals(app, database, config.drainSeconds, log);

  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://${shownHost(config.host)}:${port}`;
  const say = (state: WayIn | { waiting: true }) =>
    void process.stdout.write(
      json ? `${JSON.stringify({ url, ...state })}\n` : `${lines(url, state).join('\n')}\n`,
    );

  // Not ready until somebody else has migrated; how to get in is then told a second time.
  const isMigrated = async () => (await pendingMigrations(database.dataSource)).length === 0;
  if (!(await isMigrated())) {
    say({ waiting: true });
    while (!(await isMigrated().catch(() => false))) await sleep(1_000, undefined, { ref: false });
  }
  // A new token is made as late as this and told at once: nobody can ask for it again.
  say(await wayIn(database.dataSource, config));
}

function lines(url: string, state: WayIn | { waiting: true }): string[] {
  const said = [`User Management Service at ${url}`];
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
