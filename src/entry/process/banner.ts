import { OUTDATED } from '../../platform/database/migrate';
import type { AccessReport } from './bootstrap';
import { reachOf } from './listen';
import { printable } from './log/pretty-log';

/** The report of a start. */
export interface Started extends Partial<AccessReport> {
  url: string;
  dashboard: string;
  /** Where people sign in. Undefined unless a rule of the issuer lets somebody. */
  signIn?: string;
  /** Undefined unless metrics are served. */
  metrics?: string;
  /** The address it listens on. */
  host: string;
  /** The absolute path of the embedded database. */
  dataDir?: string;
  /** The number of sample users that `--demo` has added. */
  sampleUsers?: number;
  /** Whether the schema is still to be migrated. */
  waiting?: true;
}

const HAS_USERS = 'the organization already has users';
const NO_ORGANIZATION =
  'there is no organization. Create one with: ums organizations create <name>, then start with --demo again';

/** The report as text. */
export function bannerLines(started: Started): string[] {
  const { url, dashboard, signIn, metrics, host, dataDir, organization, organizations = 0, token } = started;
  const more = organizations > 1 ? ` and ${organizations - 1} more` : '';
  return [
    `User Management Service at ${url}`,
    `Dashboard: ${dashboard}`,
    signIn && `People sign in at ${signIn}`,
    metrics && `Metrics at ${metrics}`,
    `Listening on ${reachOf(host)}`,
    dataDir && `Embedded database: ${printable(dataDir)}`,
    organization && `Organization: ${printable(organization.name)} (${organization.id})${more}`,
    started.sampleUsers === 0 &&
      `Sample users: none added, because ${organization ? HAS_USERS : NO_ORGANIZATION}`,
    started.sampleUsers && `Sample users: ${started.sampleUsers} added`,
    token && `Admin token, shown only once: ${token}`,
    nextStep(started),
  ].filter((line) => typeof line === 'string');
}

/** The operator's next step before the service can be used, if there is one. */
export function nextStep({ waiting, token, admins }: Started): string | undefined {
  if (waiting) return OUTDATED;
  if (token || admins) return undefined;
  return 'There is no active admin token. Create one with: ums organizations create <name>, then: ums tokens create --organization <id> --name <name> --scopes admin; or, on a new database, start with BOOTSTRAP_TOKEN set to a value from: ums tokens generate';
}
