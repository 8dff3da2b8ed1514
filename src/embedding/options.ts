import { type ConfigurableModuleAsyncOptions, ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { requireSubscribers, type Subscriber } from '../events/subscribers/subscriber';
import type { RequestRecord } from '../http/access-log';
import { DEFAULTS, type ServiceOptions } from '../service.options';
import type { HostSignIn } from '../sign-in/sign-in.options';
import { networksOf } from '../webhooks/address/special-networks';
import { isKeyList } from '../webhooks/secrets/key-ring';
import type { WebhookSettings } from '../webhooks/webhooks.options';

/** What a host application decides about the service that it embeds. */
export interface UserManagementOptions {
  /** The PostgreSQL schema that holds the tables. Default: the one the data source uses. */
  schema?: string;
  /** A prefix for the paths of the service, after the host's global prefix, such as `internal`. Default: none. */
  prefix?: string;
  /** Whether the start migrates the schema; processes that start together wait for each other. Default true. */
  migrate?: boolean;
  /** Requests that a token may make in a window of 60 seconds. Default 1000. */
  rateLimitPerMinute?: number;
  /**
   * Where the windows are counted: `postgres` (the default) counts all processes together, and `memory` each process
   * separately, which is correct only for a single process.
   */
  rateLimitStorage?: ServiceOptions['rateLimitStorage'];
  /** Whether a PATCH or DELETE of a user must have an `If-Match` header, else it is a 428. Default false. */
  requireIfMatch?: boolean;
  /** Functions that get the events of all organizations. Default: none. */
  subscribers?: readonly Subscriber[];
  /** How many days events are kept: 1 to 3650. Default 365. */
  eventRetentionDays?: number;
  /** How many days deleted users can be restored: 0, which purges them at once, to 365. Default 30. */
  deletedUsersRetentionDays?: number;
  /**
   * Whether this process does the service's background work, such as removing what is kept for a limited time. Some
   * process must. Default true.
   */
  background?: boolean;
  /**
   * Connections of the host's pool that requests to the service may hold at once, apart from the short look-ups of
   * tokens and the rate limit. Default: half of the pool.
   */
  connections?: number;
  /**
   * The settings of webhooks: `encryptionKey`, 32 bytes in base64 (older keys may follow, separated by commas), which
   * is required to create webhooks, and `allowedNetworks`, CIDRs of private networks that they may reach. `false` turns
   * webhooks off. Default: no key.
   */
  webhooks?: WebhookSettings | false;
  /**
   * Whether the developer dashboard is served, at `/dashboard` below the prefixes. `signIn` lets the people of the
   * application open it with the application's own session, without a token; null refuses. Default true.
   */
  dashboard?: boolean | { signIn: HostSignIn };
  /** Called once for each request to the service, when it has ended. Server errors are also logged by Nest's logger. */
  onRequest?: (record: RequestRecord) => void;
}

/** Known before Nest runs a factory. */
export interface HostDataSource {
  /** The name of a TypeORM data source of the host application. Default: the one without a name. */
  dataSource?: string;
}

type Optional = 'schema' | 'onRequest' | 'connections';

/** The options with their defaults filled in. */
export type ResolvedOptions = Required<Omit<UserManagementOptions, Optional>> &
  Pick<UserManagementOptions, Optional>;

/** The injection token of the resolved options. */
export const OPTIONS = Symbol('user management options');

const PREFIX = /^[A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*$/;

function resolve({ prefix = '', ...options }: UserManagementOptions): ResolvedOptions {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '');
  if (trimmed && !PREFIX.test(trimmed)) throw new Error(`The prefix ${prefix} is not a plain path.`);
  // An undefined option means its default.
  const defined = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved: ResolvedOptions = {
    prefix: trimmed,
    migrate: true,
    subscribers: [],
    ...DEFAULTS,
    ...defined,
  };
  const { rateLimitStorage, connections = 1, eventRetentionDays, deletedUsersRetentionDays: kept } = resolved;
  if (!Number.isInteger(connections) || connections < 1)
    throw new Error('connections must be a whole number, and at least 1.');
  if (!Number.isInteger(eventRetentionDays) || eventRetentionDays < 1 || eventRetentionDays > 3650)
    throw new Error('eventRetentionDays must be a whole number from 1 to 3650.');
  if (!Number.isInteger(kept) || kept < 0 || kept > 365)
    throw new Error('deletedUsersRetentionDays must be a whole number from 0 to 365.');
  requireSubscribers(resolved.subscribers);
  if (resolved.webhooks) requireSettings(resolved.webhooks);
  if (rateLimitStorage !== 'postgres' && rateLimitStorage !== 'memory')
    throw new Error('rateLimitStorage must be postgres or memory.');
  return resolved;
}

function requireSettings({ encryptionKey, allowedNetworks = [] }: WebhookSettings): void {
  if (encryptionKey !== undefined && !isKeyList(encryptionKey))
    throw new Error(
      'webhooks.encryptionKey must be 32 bytes in base64, or several of these separated by commas.',
    );
  try {
    networksOf(allowedNetworks);
  } catch (cause) {
    throw new Error('webhooks.allowedNetworks must be networks such as 10.1.0.0/16.', { cause });
  }
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<UserManagementOptions>()
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createUserManagementOptions')
    .build();

/** Options from `useFactory`, `useClass` or `useExisting`. */
export type AsyncUserManagementOptions = ConfigurableModuleAsyncOptions<
  UserManagementOptions,
  'createUserManagementOptions'
>;

@Module({
  providers: [{ provide: OPTIONS, inject: [MODULE_OPTIONS_TOKEN], useFactory: resolve }],
  exports: [OPTIONS],
})
export class OptionsModule extends ConfigurableModuleClass {}
