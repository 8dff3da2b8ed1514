import type { Request } from 'express';
import type { DashboardOptions } from '../dashboard/dashboard.middleware';
import type { Scope } from '../platform/http/scopes';
import type { OidcSettings } from './oidc/sign-in-settings';

/** A person whom the host application has recognized. */
export interface HostPerson {
  /** The organization whose dashboard is opened. */
  organizationId: string;
  /** The scopes of the person. Default: `admin`. */
  scopes?: Scope[];
  /** The name of the person, for the list of tokens and the audit trail. */
  name: string;
  /** The id of the person in the application. Default: the name. */
  subject?: string;
}

/**
 * Identifies the person behind a request of the dashboard by the application's own session. Null if the person is not
 * signed in, or may not use the dashboard.
 */
export type HostSignIn = (request: Request) => Promise<HostPerson | null> | HostPerson | null;

export interface SignInOptions extends DashboardOptions {
  dashboard: boolean | { signIn: HostSignIn };
  /** The issuer at which people sign in. Default: none. */
  oidc?: OidcSettings;
}
