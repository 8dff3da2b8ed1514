import { reject, Variable } from '../../platform/feature/setting';
import type { ClaimRule } from '../../platform/issuers/claim-rules';
import { issuerUrl, publicUrl } from '../../platform/issuers/urls';
import { parseAdminRules } from './admin-rules';

const adminRules = (text: string) =>
  text.trim() === '' ? reject('must not be blank') : parseAdminRules(text);

const clientId = (text: string): string => text.trim() || reject('must not be blank');

const signInKey = (text: string): string =>
  /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
    ? text
    : reject('must be 32 bytes in base64; generate it with: openssl rand -base64 32');

/** The settings for signing in to the dashboard at an OpenID Connect issuer. */
export class OidcSettings {
  /** The URL at which browsers reach the service, without a trailing slash. Required. */
  @Variable('PUBLIC_URL', publicUrl) publicUrl: string;
  /** The issuer's identifier, a URL. Default: none, and nobody signs in there. */
  @Variable('OIDC_ISSUER', issuerUrl) issuer: string;
  /** The id of the client that is registered at the issuer. Required. */
  @Variable('OIDC_CLIENT_ID', clientId) clientId: string;
  /** The secret of the client. Default: none, for a public client. */
  @Variable('OIDC_CLIENT_SECRET', String) clientSecret?: string;
  /** 32 bytes in base64, which encrypt the cookie. Default: the client's secret does, or a key of the process. */
  @Variable('SIGN_IN_KEY', signInKey) key?: string;
  /** The rules that say who may sign in. Default: nobody. */
  @Variable('OIDC_ADMINS', adminRules) rules: readonly ClaimRule[] = [];
}

/** The key of the cookie must not be guessable: anybody who begins a sign-in gets a cookie to try secrets on. */
const MIN_SECRET_CHARACTERS = 16;

/** The variables that an issuer requires. */
const NEEDED = {
  OIDC_CLIENT_ID: 'the id of the client that you have registered at the issuer',
  PUBLIC_URL: 'the URL at which browsers reach the service',
};

/** The variables that have no effect without an issuer. */
const NEEDING_ISSUER = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ADMINS', 'SIGN_IN_KEY'];

/** The faults of the variables together. Setting half of them is a mistake, and would switch sign-in off silently. */
export function oidcFaults(env: NodeJS.ProcessEnv): string[] {
  const isSet = (name: string) => env[name] !== undefined;
  if (!isSet('OIDC_ISSUER')) {
    return NEEDING_ISSUER.filter(isSet).map(
      (name) => `${name} has no effect without OIDC_ISSUER; set OIDC_ISSUER, or unset ${name}`,
    );
  }
  const faults = Object.entries(NEEDED)
    .filter(([name]) => !isSet(name))
    .map(([name, what]) => `${name} must be set with OIDC_ISSUER: ${what}`);
  const { OIDC_CLIENT_SECRET: secret = '', SIGN_IN_KEY: key } = env;
  if (secret !== '' && secret.length < MIN_SECRET_CHARACTERS && key === undefined) {
    faults.push(
      `OIDC_CLIENT_SECRET has fewer than ${MIN_SECRET_CHARACTERS} characters, too few to encrypt cookies with; set SIGN_IN_KEY, too`,
    );
  }
  return faults;
}
