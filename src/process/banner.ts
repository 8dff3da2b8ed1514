import type { Access } from './bootstrap';
import { printable } from './printable';

/** Where the service answers. */
export interface Addresses {
  url: string;
  dashboard: string;
  /** Undefined unless metrics are served. */
  metrics?: string;
}

/** What a start prints: the addresses, and how to get in; or that the schema is still to be migrated. */
export function bannerLines({ url, dashboard, metrics }: Addresses, access?: Access): string[] {
  const lines = [`User Management Service at ${url}`, `Dashboard: ${dashboard}`];
  if (metrics) lines.push(`Metrics at ${metrics}`);
  if (!access) return [...lines, 'The schema is older than this release. Run: ums migrate'];
  const { organization, organizations, token, admins } = access;
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
export function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
