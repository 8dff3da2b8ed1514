import { type ConfigurableModuleAsyncOptions, ConfigurableModuleBuilder, Module } from '@nestjs/common';
import type { Request } from 'express';
import { subscriberFaults } from '../../events/subscribers/subscriber';
import type { RequestRecord } from '../../platform/http/access-log';
import { faultsOf, Option } from '../../platform/feature/setting';
import { TokenIssuers } from '../../oauth/token-issuers';
import { Settings } from '../../service.options';
import { WebhookSettings } from '../../webhooks/webhooks.options';
import type { MetricsRegistry } from '../metrics/registry';

const isString = (value: unknown) => typeof value === 'string';
const isRegistry = (value: unknown) => typeof Object(value).registerMetric === 'function';

/** The settings of a host, beside those that it has in common with a process of its own. */
export class HostSettings extends Settings {
  /** The PostgreSQL schema that holds the tables. Default: the one the data source uses. */
  @Option(isString, 'must be a string') schema?: string;
  /** A prefix for the paths of the service, after the host's global prefix, such as `internal`. Default: none. */
  @Option(isString, 'must be a string') prefix = '';
  /**
   * Connections of the host's pool that requests to the service may hold at once, apart from the short look-ups of
   * tokens and the rate limit. Default: half of the pool.
   */
  @Option((value) => Number.isInteger(value) && Number(value) >= 1, 'must be a whole number, and at least 1')
  connections?: number;
  /** Called once for each request to the service, when it has ended. Server errors are also logged by Nest's logger. */
  @Option((value) => typeof value === 'function', 'must be a function')
  onRequest?: (record: RequestRecord) => void;
  /** A registry of prom-client in which the service registers its metrics, `ums_…`. Default: none. */
  @Option(isRegistry, 'must be a registry of prom-client') metrics?: MetricsRegistry;
  /** Who has signed in to the application, by its own session; null if nobody has. For `@CurrentUser()`. */
  @Option((value) => typeof value === 'function', 'must be a function')
  currentUser?: (request: Request) => HostUser | null | Promise<HostUser | null>;
}

/** A user of the service, by the id that the host application knows. */
export interface HostUser {
  organizationId: string;
  externalId: string;
}

/** What a host application decides about the service that it embeds. */
export type UserManagementOptions = Partial<HostSettings>;

/** Known before Nest runs a factory. */
export interface HostDataSource {
  /** The name of a TypeORM data source of the host application. Default: the one without a name. */
  dataSource?: string;
}

/** The injection token of the host's settings. */
export const OPTIONS = Symbol('user management options');

const PREFIX = /^[A-Za-z0-9._~-]+(\/[A-Za-z0-9._~-]+)*$/;

/** The settings of the host. Throws one error that lists all faults. */
function resolve(options: UserManagementOptions): HostSettings {
  // An undefined option means its default.
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  const settings = Object.assign(new HostSettings(), Object.fromEntries(defined));
  const { prefix, subscribers, webhooks, tokenIssuers } = settings;
  const faults = faultsOf(HostSettings, settings);
  if (isString(prefix)) settings.prefix = prefix.replace(/^\/+|\/+$/g, '');
  if (isString(prefix) && settings.prefix && !PREFIX.test(settings.prefix))
    faults.push(`The prefix ${prefix} is not a plain path.`);
  if (Array.isArray(subscribers)) faults.push(...subscriberFaults(subscribers));
  faults.push(...faultsOf(WebhookSettings, webhooks, 'webhooks.'));
  if (tokenIssuers !== undefined) faults.push(...faultsOf(TokenIssuers, tokenIssuers, 'tokenIssuers.'));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return settings;
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
export class HostOptionsModule extends ConfigurableModuleClass {}
