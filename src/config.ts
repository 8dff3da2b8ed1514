import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import express from 'express';
import { z } from 'zod';
import { isRedisUrl } from './rate-limit/redis-url';
import { isTokenValue } from './tokens/token-value';

/** The value of DATABASE_URL that asks for the embedded database by name. */
const EMBEDDED = 'embedded';

/** What may be in a file instead, which `<name>_FILE` names: an orchestrator mounts secrets so. */
const SECRETS = ['DATABASE_URL', 'REDIS_URL', 'BOOTSTRAP_TOKEN'];

const number = (min: number, max: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);

const whole = (min: number, max: number, fallback: number) => number(min, max).default(fallback);

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .default(fallback);

const databaseUrl = z
  .string(`must be set when NODE_ENV is production; "${EMBEDDED}" asks for the embedded database by name`)
  .refine((text) => text === EMBEDDED || isPostgresUrl(text), `must be a postgres:// URL or "${EMBEDDED}"`);

const environment = (production: boolean) =>
  z
    .object({
      DATABASE_URL: production ? databaseUrl : databaseUrl.optional(),
      DATA_DIR: z.string().default('.data'),
      REDIS_URL: z.string().refine(isRedisUrl, 'must be a redis:// or rediss:// URL').optional(),
      DATABASE_POOL_SIZE: whole(1, 1000, 10),
      PORT: whole(0, 65535, 3000),
      MANAGEMENT_PORT: number(0, 65535).optional(),
      HOST: z.string().refine(isHost, 'must be an address or a host name').default('0.0.0.0'),
      RATE_LIMIT_PER_MINUTE: whole(1, 1_000_000_000, 1000),
      MIGRATE_ON_START: flag(true),
      BOOTSTRAP_TOKEN: z
        .string()
        .refine(isTokenValue, 'must be a token value; make one with: ums tokens generate')
        .optional(),
      BOOTSTRAP_ORGANIZATION: z
        .string()
        .trim()
        .min(1, 'must not be blank')
        .max(200, 'must have at most 200 characters')
        .default('Default'),
      TRUST_PROXY: z
        .string()
        .transform(trustProxy)
        .refine(isTrustProxy, 'must be true, false, a number of proxies, or their addresses')
        .default(false),
      LOG_LEVEL: z
        .enum(
          ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
          'must be trace, debug, info, warn, error or fatal',
        )
        .default('info'),
      SHUTDOWN_DRAIN_SECONDS: whole(0, 3600, 10),
    })
    .transform((env) => ({
      /** Undefined: the embedded database. */
      databaseUrl: env.DATABASE_URL === EMBEDDED ? undefined : env.DATABASE_URL,
      dataDir: env.DATA_DIR,
      redisUrl: env.REDIS_URL,
      poolSize: env.DATABASE_POOL_SIZE,
      migrate: env.MIGRATE_ON_START,
      port: env.PORT,
      /** Undefined: no metrics are served. */
      managementPort: env.MANAGEMENT_PORT,
      host: env.HOST,
      rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
      bootstrapToken: env.BOOTSTRAP_TOKEN,
      bootstrapOrganization: env.BOOTSTRAP_ORGANIZATION,
      trustProxy: env.TRUST_PROXY,
      logLevel: env.LOG_LEVEL,
      drainSeconds: env.SHUTDOWN_DRAIN_SECONDS,
    }));

export type Config = z.output<ReturnType<typeof environment>>;

/** The settings of the service, or one error that lists every variable that makes no sense. An empty one is unset. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const unreadable = SECRETS.flatMap((name) => readSecret(name, set));
  const { success, data, error } = environment(env.NODE_ENV === 'production').safeParse(set);
  if (success && unreadable.length === 0) return data;
  const failed = new Set(unreadable.map(({ name }) => name));
  const senseless = error?.issues
    .map(({ path, message }) => ({ name: path.join('.'), message }))
    .filter(({ name }) => !failed.has(`${name}_FILE`));
  const faults = [...unreadable, ...(senseless ?? [])].map(({ name, message }) => `  ${name} ${message}`);
  throw new Error(`These environment variables make no sense:\n${faults.join('\n')}`);
}

/** Puts what is in the file of a secret in its place, and returns what is wrong with that. */
function readSecret(secret: string, env: NodeJS.ProcessEnv): { name: string; message: string }[] {
  const name = `${secret}_FILE`;
  const path = env[name];
  if (path === undefined) return [];
  if (env[secret] !== undefined) return [{ name, message: `must not be set together with ${secret}` }];
  try {
    env[secret] = readFileSync(path, 'utf8').trim();
  } catch (error) {
    return [{ name, message: `cannot be read: ${(error as Error).message}` }];
  }
  return env[secret] === '' ? [{ name, message: 'names an empty file' }] : [];
}

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}

const isHost = (text: string) => isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text);

/** What Express takes: a number of proxies, true or false, or addresses. */
function trustProxy(text: string): boolean | number | string {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
}

function isTrustProxy(value: boolean | number | string): boolean {
  try {
    express().set('trust proxy', value);
    return true;
  } catch {
    return false;
  }
}
