import type { OperatorOptions } from './auth/operator.options';
import type { EventRetentionOptions } from './events/log/event-retention';
import type { Subscriber, SubscribersOptions } from './events/subscribers/subscriber';
import type { TokenIssuers, TokenIssuersOptions } from './oauth/token-issuers';
import type { BackgroundOptions } from './platform/background/background';
import type { DatabaseOptions } from './platform/database/database.module';
import { FlagSetting, isFlag, Option, Setting, WholeNumberSetting } from './platform/feature/setting';
import { isObject } from './platform/http/input/checks';
import type { RateLimitOptions } from './platform/rate-limit/rate-limit.options';
import type { SettingsOptions } from './settings/settings.options';
import type { HostSignIn, SignInOptions } from './sign-in/sign-in.options';
import type { TokensOptions } from './tokens/token/token-limits';
import type { DeletedUsersOptions } from './users/deleted/user-purge';
import type { UsersOptions } from './users/users.controller';
import type { WebhookSettings, WebhooksOptions } from './webhooks/webhooks.options';

export interface ServiceOptions
  extends
    DatabaseOptions,
    RateLimitOptions,
    TokensOptions,
    UsersOptions,
    DeletedUsersOptions,
    BackgroundOptions,
    EventRetentionOptions,
    SubscribersOptions,
    WebhooksOptions,
    TokenIssuersOptions,
    OperatorOptions,
    SettingsOptions,
    SignInOptions {}

const isWebhooks = (value: unknown) => value === false || isObject(value);
const isDashboard = (value: unknown) => isFlag(value) || typeof Object(value).signIn === 'function';

const TITLE = 'must be a text of 1 to 60 characters without control characters';
const isTitle = (value: unknown) =>
  typeof value === 'string' && /^(?!\s*$)[^\p{Cc}\p{Cs}]{1,60}$/u.test(value);

/** The settings that a process of its own and a host have in common. */
export class Settings implements ServiceOptions {
  /** Whether the start migrates the schema; processes that start together wait for each other. Default true. */
  @FlagSetting('MIGRATE_ON_START') migrate = true;
  /** Requests that a token may make in a window of 60 seconds. Default 1000. */
  @WholeNumberSetting('RATE_LIMIT_PER_MINUTE', 1, 1_000_000_000) rateLimitPerMinute = 1000;
  /**
   * Where the windows are counted: `postgres` (the default) counts all processes together, and `memory` each process
   * separately, which is correct only for a single process.
   */
  @Option((value) => value === 'postgres' || value === 'memory', 'must be postgres or memory')
  rateLimitStorage: 'postgres' | 'memory' = 'postgres';
  /** How many days a new token may live: 1 to 3650. Tokens that exist already stay as they are. Default: forever. */
  @WholeNumberSetting('TOKEN_MAX_DAYS', 1, 3650) tokenMaxDays?: number;
  /** Whether a PATCH or DELETE of a user must have an `If-Match` header, else it is a 428. Default false. */
  @FlagSetting('REQUIRE_IF_MATCH') requireIfMatch = false;
  /** Functions that get the events of all organizations. Default: none. */
  @Option(Array.isArray, 'must be a list') subscribers: readonly Subscriber[] = [];
  /** How many days events are kept: 1 to 3650. Default 365. */
  @WholeNumberSetting('EVENT_RETENTION_DAYS', 1, 3650) eventRetentionDays = 365;
  /** How many days deleted users can be restored: 0, which purges them at once, to 365. Default 30. */
  @WholeNumberSetting('DELETED_USERS_RETENTION_DAYS', 0, 365) deletedUsersRetentionDays = 30;
  /**
   * Whether this process does the service's background work, such as removing what is kept for a limited time. Some
   * process must. Default true.
   */
  @Option(isFlag, 'must be true or false') background = true;
  /**
   * The settings of webhooks: `encryptionKey`, 32 bytes in base64 (older keys may follow, separated by commas), which
   * is required to create webhooks, and `allowedNetworks`, CIDRs of private networks that they may reach. `false` turns
   * webhooks off. Default: no key.
   */
  @Option(isWebhooks, 'must be false or an object') webhooks: WebhookSettings | false = {};
  /**
   * Whether the developer dashboard is served, at `/dashboard` below the prefixes. `signIn` lets the people of the
   * application open it with the application's own session, without a token; null refuses. Default true.
   */
  @Option(isDashboard, 'must be true, false or { signIn }')
  dashboard: boolean | { signIn: HostSignIn } = true;
  /** A name for this service, such as “Acme – Staging”, which the dashboard shows to everybody. Default: its host. */
  @Setting('DASHBOARD_TITLE', (text) => text.trim(), isTitle, TITLE) dashboardTitle?: string;
  /**
   * Whose signed assertions are exchanged for tokens: `audience`, the URL of the service, and `rules` such as
   * `https://issuer.example sub=crm -> org_… users:read`. Default: nobody's.
   */
  tokenIssuers?: TokenIssuers;
}

/** The defaults of the environment variables and of a host application. */
export const DEFAULTS = new Settings();
