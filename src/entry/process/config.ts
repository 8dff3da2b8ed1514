import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import express from 'express';
import { OrganizationNameDto } from '../../organizations/organizations.dto';
import {
  fromVariables,
  reject,
  Variable,
  VARIABLES,
  WholeNumberSetting,
} from '../../platform/feature/setting';
import { validate } from '../../platform/http/input/validate';
import { publicUrl } from '../../platform/issuers/urls';
import { TokenIssuers, tokenIssuersFaults } from '../../oauth/token-issuers';
import { type ServiceOptions, Settings } from '../../service.options';
import { oidcFaults, OidcSettings } from '../../sign-in/oidc/sign-in-settings';
import { isTokenValue } from '../../tokens/token/token-value';
import { WebhookSettings } from '../../webhooks/webhooks.options';
import { originOf } from './cors';
import { defaultHost } from './listen';
import { misspelt } from './misspelt';
import { webhookKey } from './webhook-key';

/** The value of DATABASE_URL that selects the embedded database. */
const EMBEDDED = 'embedded';

const matching = (isValid: (text: string) => boolean, message: string) => (text: string) =>
  isValid(text) ? text : reject(message);

const isHost = (text: string) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text);
const host = matching(isHost, 'must be an IP address or a host name');
const tokenValue = matching(isTokenValue, 'must be a token value; generate one with: ums tokens generate');
const isLevel = (text: string) => /^(trace|debug|info|warn|error|fatal)$/.test(text);
const level = matching(isLevel, 'must be trace, debug, info, warn, error or fatal');

function databaseUrl(text: string): string | undefined {
  if (text === EMBEDDED) return undefined;
  const isPostgres = /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) && isDecodable(text);
  if (!isPostgres)
    reject(`must be a postgres:// URL or "${EMBEDDED}"; in a password, write % / ? # as %25 %2F %3F %23`);
  // The driver ignores any other spelling, and would connect without TLS.
  if ([...text.matchAll(/[?&](sslmode)=/gi)].some(([, name]) => name !== 'sslmode'))
    reject('must have sslmode in lower case');
  return verifyingFully(text);
}

/** Whether the user, the password and the database can be decoded, which the driver does. */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?')[0]);
    return true;
  } catch {
    return false;
  }
}

/**
 * The driver takes these modes for verify-full, with a warning, and its next version will verify less. A URL that asks
 * for the meaning of libpq keeps them.
 */
export function verifyingFully(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

function organizationName(text: string): string {
  const { dto, faults } = validate(OrganizationNameDto, { name: text });
  return dto ? dto.name : reject(faults[0].message);
}

function operatorTokens(text: string): string[] {
  const tokens = text.split(',').map((token) => token.trim());
  if (!tokens.every((token) => /^[!-~]{32,}$/.test(token)))
    return reject(
      'must have at least 32 characters from ! to ~ except commas; generate one with: ums tokens generate',
    );
  if (tokens.length > 2 || tokens[0] === tokens[1])
    return reject('must be one token, or two different ones separated by a comma');
  return tokens;
}

function origins(text: string): string[] {
  const list = text.split(',').map((origin) => origin.trim());
  const wrong = list.find((origin) => originOf(origin) !== origin);
  if (wrong === undefined) return list;
  const right = originOf(wrong);
  return reject(
    `must be origins separated by commas, such as https://app.example.com,http://localhost:5173, without a path, a default port or *; ${JSON.stringify(wrong)} is not one${right ? `; write it as ${right}` : ''}`,
  );
}

/** Accepts the values of Express's `trust proxy`. */
function trustProxy(text: string): boolean | number | string {
  if (text === 'true' || text === 'false') return text === 'true';
  const value = /^\d+$/.test(text) ? Number(text) : text;
  try {
    express().set('trust proxy', value);
    return value;
  } catch {
    return reject('must be true, false, a number of proxies, or their addresses');
  }
}

/** The settings of a process of its own, beside those that it has in common with a host. */
export class Config extends Settings {
  /** Whether NODE_ENV is production: the database must be named, and standard output is only the log. */
  production: boolean;
  override webhooks: WebhookSettings;
  /** Undefined without an issuer. */
  oidc?: OidcSettings;
  /** The URL at which the service is reached, without a trailing slash. Default: none. */
  @Variable('PUBLIC_URL', publicUrl) publicUrl?: string;
  /** A server of PostgreSQL 15 or newer, as a `postgres://` URL. Default: none, for the embedded database. */
  @Variable('DATABASE_URL', databaseUrl) databaseUrl?: string;
  /** The directory of the embedded database, relative to the working directory. Default `.data`. */
  @Variable('DATA_DIR', String) dataDir = '.data';
  /** How many connections to the database the process has: 1 to 1000. Default 10. */
  @WholeNumberSetting('DATABASE_POOL_SIZE', 1, 1000) poolSize = 10;
  /** The port to listen on; 0 is any free one. Default 3000. */
  @WholeNumberSetting('PORT', 0, 65535) port = 3000;
  /** The port of `/metrics`; 0 is any free one. Default: none, and metrics are not served. */
  @WholeNumberSetting('MANAGEMENT_PORT', 0, 65535) managementPort?: number;
  /** The address to listen on. Default: 0.0.0.0; 127.0.0.1 on the embedded database outside of a container. */
  @Variable('HOST', host) host: string;
  /** The value of the first admin token, if the database has never had one. Default: none. */
  @Variable('BOOTSTRAP_TOKEN', tokenValue) bootstrapToken?: string;
  /**
   * The tokens with which the operator manages organizations: two while one replaces the other. Default: none, and
   * `/v1/organizations` does not exist.
   */
  @Variable('OPERATOR_TOKEN', operatorTokens) operatorTokens?: string[];
  /** The name of the organization of the first admin token: 1 to 100 characters. Default `Default`. */
  @Variable('BOOTSTRAP_ORGANIZATION', organizationName) bootstrapOrganization = 'Default';
  /** The proxies whose `X-Forwarded-*` headers are trusted: all, a number, or their addresses. Default: none. */
  @Variable('TRUST_PROXY', trustProxy) trustProxy: boolean | number | string = false;
  /** The origins whose pages may call the service. Default: none. */
  @Variable('CORS_ORIGINS', origins) corsOrigins: string[] = [];
  /** The least level of a line in the log. Default `info`. */
  @Variable('LOG_LEVEL', level) logLevel = 'info';
  /** How many seconds a shutdown after SIGTERM may take: 0 to 3600. Default 10. */
  @WholeNumberSetting('SHUTDOWN_DRAIN_SECONDS', 0, 3600) drainSeconds = 10;
}

/** `<name>_FILE` can name a file with the value instead, because orchestrators mount secrets as files. */
const SECRETS = [
  'DATABASE_URL',
  'BOOTSTRAP_TOKEN',
  'OPERATOR_TOKEN',
  'WEBHOOK_ENCRYPTION_KEY',
  'OIDC_CLIENT_SECRET',
  'SIGN_IN_KEY',
];

/** What looks like a setting in these variables and is none, one sentence each. */
export const misspeltVariables = (env: NodeJS.ProcessEnv): string[] =>
  misspelt(env, ['NODE_ENV', ...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`)]);

/** Whether standard output and standard error are only the log. */
export const isProduction = (env: NodeJS.ProcessEnv): boolean => env.NODE_ENV === 'production';

/** Reads the settings. Throws one error that lists all invalid variables. An empty variable counts as unset. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const faults = new Set(SECRETS.flatMap((name) => readSecret(name, variables)));

  const isMissing = variables.DATABASE_URL === undefined && variables.DATABASE_URL_FILE === undefined;
  const production = isProduction(env);
  if (production && isMissing) {
    faults.add(
      `DATABASE_URL must be set when NODE_ENV is production; set it to "${EMBEDDED}" to use the embedded database`,
    );
  }
  const config = fromVariables(Config, variables, faults);
  config.webhooks = fromVariables(WebhookSettings, variables, faults);
  const oidc = fromVariables(OidcSettings, variables, faults);
  if (oidc.issuer !== undefined) config.oidc = oidc;
  const tokenIssuers = fromVariables(TokenIssuers, variables, faults);
  if (tokenIssuers.rules !== undefined) config.tokenIssuers = tokenIssuers;
  config.production = production;
  config.host ??= defaultHost(config.databaseUrl === undefined, env);
  if (config.managementPort === config.port && config.port !== 0)
    faults.add('MANAGEMENT_PORT must differ from PORT');
  const operatorTokens = [config.operatorTokens].flat(); // of one error if the variable is invalid
  if (config.bootstrapToken !== undefined && operatorTokens.includes(config.bootstrapToken))
    faults.add('OPERATOR_TOKEN must differ from BOOTSTRAP_TOKEN');
  for (const fault of [...oidcFaults(variables), ...tokenIssuersFaults(variables)]) faults.add(fault);
  if (faults.size === 0) return config;
  throw new Error(['Invalid configuration:', ...faults, ...misspeltVariables(env)].join('\n  '));
}

/** Sets a secret from its file, if `<name>_FILE` is set, and returns the faults. */
function readSecret(secret: string, env: NodeJS.ProcessEnv): string[] {
  const name = `${secret}_FILE`;
  const path = env[name];
  if (path === undefined) return [];
  if (env[secret] !== undefined) return [`${name} must not be set together with ${secret}`];
  try {
    const text = readFileSync(path, 'utf8').trim();
    if (text === '') return [`${name} points to an empty file`];
    env[secret] = text;
    return [];
  } catch (error) {
    return [`${name} cannot be read: ${(error as Error).message}`];
  }
}

/** The options of the service. The embedded database is open already. */
export const serviceOptions = (config: Config): ServiceOptions => ({
  ...config,
  // Only one process can use the embedded database, so counting in memory is exact there.
  rateLimitStorage: config.databaseUrl === undefined ? 'memory' : 'postgres',
  webhooks: { ...config.webhooks, encryptionKey: webhookKey(config.webhooks.encryptionKey, config) },
});
