import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import express from 'express';
import { DEFAULTS, type ServiceOptions } from '../service.options';
import { isTokenValue } from '../tokens/token-value';
import { networksOf } from '../webhooks/address/special-networks';
import { isKeyList } from '../webhooks/secrets/key-ring';
import { originOf } from './cors';
import { defaultHost } from './listen';
import {
  adminRules,
  clientId,
  issuer,
  oidcFaults,
  oidcSettings,
  publicUrl,
  signInKey,
} from '../sign-in/oidc/sign-in-settings';
import { webhookKey } from './webhook-key';

/** The value of DATABASE_URL that selects the embedded database. */
const EMBEDDED = 'embedded';

/** `<name>_FILE` can name a file with the value instead, because orchestrators mount secrets as files. */
const SECRETS = [
  'DATABASE_URL',
  'BOOTSTRAP_TOKEN',
  'WEBHOOK_ENCRYPTION_KEY',
  'OIDC_CLIENT_SECRET',
  'SIGN_IN_KEY',
];

/** Reads the settings. Throws one error that lists all invalid variables. An empty variable counts as unset. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const settings = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const faults = SECRETS.flatMap((name) => readSecret(name, settings));

  /** Parses a variable, or returns the fallback if it is unset or invalid. */
  const read = <Value, Fallback>(
    name: string,
    parse: (text: string) => Value,
    fallback: Fallback,
  ): Value | Fallback => {
    const text = settings[name];
    if (text === undefined) return fallback;
    try {
      return parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return fallback;
    }
  };

  const isMissing = settings.DATABASE_URL === undefined && settings.DATABASE_URL_FILE === undefined;
  const production = env.NODE_ENV === 'production';
  if (production && isMissing) {
    faults.push(
      `DATABASE_URL must be set when NODE_ENV is production; set it to "${EMBEDDED}" to use the embedded database`,
    );
  }
  const url = read('DATABASE_URL', databaseUrl, undefined);
  const config = {
    production,
    /** Undefined for the embedded database. */
    databaseUrl: url,
    dataDir: read('DATA_DIR', String, '.data'),
    poolSize: read('DATABASE_POOL_SIZE', integer(1, 1000), 10),
    migrate: read('MIGRATE_ON_START', flag, true),
    port: read('PORT', integer(0, 65535), 3000),
    /** Undefined: metrics are not served. */
    managementPort: read('MANAGEMENT_PORT', integer(0, 65535), undefined),
    host: read(
      'HOST',
      matching(isHost, 'must be an IP address or a host name'),
      defaultHost(url === undefined, env),
    ),
    rateLimitPerMinute: read('RATE_LIMIT_PER_MINUTE', integer(1, 1_000_000_000), DEFAULTS.rateLimitPerMinute),
    requireIfMatch: read('REQUIRE_IF_MATCH', flag, DEFAULTS.requireIfMatch),
    eventRetentionDays: read('EVENT_RETENTION_DAYS', integer(1, 3650), DEFAULTS.eventRetentionDays),
    deletedUsersRetentionDays: read(
      'DELETED_USERS_RETENTION_DAYS',
      integer(0, 365),
      DEFAULTS.deletedUsersRetentionDays,
    ),
    bootstrapToken: read(
      'BOOTSTRAP_TOKEN',
      matching(isTokenValue, 'must be a token value; generate one with: ums tokens generate'),
      undefined,
    ),
    bootstrapOrganization: read('BOOTSTRAP_ORGANIZATION', organizationName, 'Default'),
    webhookKey: read(
      'WEBHOOK_ENCRYPTION_KEY',
      matching(isKeyList, 'must be 32 bytes in base64, or several of these separated by commas'),
      undefined,
    ),
    webhookNetworks: read('WEBHOOK_ALLOWED_NETWORKS', networks, []),
    publicUrl: read('PUBLIC_URL', publicUrl, undefined),
    oidcIssuer: read('OIDC_ISSUER', issuer, undefined),
    oidcClientId: read('OIDC_CLIENT_ID', clientId, undefined),
    oidcClientSecret: read('OIDC_CLIENT_SECRET', String, undefined),
    oidcAdmins: read('OIDC_ADMINS', adminRules, []),
    signInKey: read('SIGN_IN_KEY', signInKey, undefined),
    trustProxy: read('TRUST_PROXY', trustProxy, false),
    corsOrigins: read('CORS_ORIGINS', corsOrigins, []),
    logLevel: read('LOG_LEVEL', logLevel, 'info'),
    drainSeconds: read('SHUTDOWN_DRAIN_SECONDS', integer(0, 3600), 10),
  };
  if (config.managementPort === config.port && config.port !== 0) {
    faults.push('MANAGEMENT_PORT must differ from PORT');
  }
  faults.push(...oidcFaults(settings));
  if (faults.length === 0) return config;
  throw new Error(`Invalid configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

export type Config = ReturnType<typeof readConfig>;

const reject = (message: string): never => {
  throw new Error(message);
};

const matching = (isValid: (text: string) => boolean, message: string) => (text: string) =>
  isValid(text) ? text : reject(message);

const integer = (min: number, max: number) => (text: string) =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max
    ? Number(text)
    : reject(`must be a whole number from ${min} to ${max}`);

const flag = (text: string) =>
  text === 'true' || text === 'false' ? text === 'true' : reject('must be true or false');

const databaseUrl = (text: string) => {
  if (text === EMBEDDED) return undefined;
  return isPostgresUrl(text) ? text : reject(`must be a postgres:// URL or "${EMBEDDED}"`);
};

const organizationName = (text: string) => {
  const name = text.trim();
  if (name === '') return reject('must not be blank');
  return name.length <= 200 ? name : reject('must have at most 200 characters');
};

const networks = (text: string) => {
  const cidrs = text.split(',').map((cidr) => cidr.trim());
  try {
    networksOf(cidrs);
    return cidrs;
  } catch {
    return reject('must be networks separated by commas, such as 10.1.0.0/16,fd00:1::/32');
  }
};

const corsOrigins = (text: string) => {
  const origins = text.split(',').map((origin) => origin.trim());
  const wrong = origins.find((origin) => originOf(origin) !== origin);
  if (wrong === undefined) return origins;
  const right = originOf(wrong);
  return reject(
    `must be origins separated by commas, such as https://app.example.com,http://localhost:5173, without a path, a default port or *; ${JSON.stringify(wrong)} is not one${right ? `; write it as ${right}` : ''}`,
  );
};

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

const logLevel = (text: string) =>
  LOG_LEVELS.find((level) => level === text) ?? reject('must be trace, debug, info, warn, error or fatal');

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

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

const isHost = (text: string) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text);

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

/** What the environment says about the service. The embedded database is open already. */
export const serviceOptions = (config: Config): ServiceOptions => ({
  ...DEFAULTS,
  ...config,
  // Only one process can use the embedded database, so counting in memory is exact there.
  rateLimitStorage: config.databaseUrl === undefined ? 'memory' : 'postgres',
  webhooks: { encryptionKey: webhookKey(config), allowedNetworks: config.webhookNetworks },
  oidc: oidcSettings(config),
});
