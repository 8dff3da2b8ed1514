import { type DynamicModule, Global, Module } from '@nestjs/common';

/** What an application decides about the service it embeds. */
export interface UserManagementOptions {
  /** Requests that a token may make in a window of 60 seconds. Default 1000. */
  rateLimitPerMinute?: number;
  /**
   * Where the windows are counted. `postgres` (the default) counts all processes together; `memory` counts each process
   * on its own, and is right only where there is one.
   */
  rateLimitStorage?: 'postgres' | 'memory';
}

/** The options with their defaults filled in. */
export type ResolvedOptions = Required<UserManagementOptions>;

/** Where the options are found by what needs them. */
export const OPTIONS = Symbol('user management options');

@Global()
@Module({})
export class OptionsModule {
  static with(options: UserManagementOptions): DynamicModule {
    const useValue: ResolvedOptions = { rateLimitPerMinute: 1000, rateLimitStorage: 'postgres', ...options };
    return { module: OptionsModule, providers: [{ provide: OPTIONS, useValue }], exports: [OPTIONS] };
  }
}
