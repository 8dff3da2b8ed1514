import { isIP } from 'node:net';
import express from 'express';
import { z } from 'zod';
import { isTokenValue } from './tokens/token-value';

/** The value of DATABASE_URL that asks for the embedded database by name. */
const EMBEDDED = 'embedded';

const whole = (min: number, max: number, fallback: number) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number)
    .default(fallback);

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
      DATABASE_POOL_SIZE: whole(1, 1000, 10),
      PORT: whole(0, 65535, 3000),
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
      poolSize: env.DATABASE_POOL_SIZE,
      migrate: env.MIGRATE_ON_START,
      port: env.PORT,
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
  const result = environment(env.NODE_ENV === 'production').safeParse(set);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `  ${path.join('.')} ${message}`);
  throw new Error(`These environment variables make no sense:\n${faults.join('\n')}`);
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
