import { type DynamicModule, Module } from '@nestjs/common';

/** The injection token of the options of `Settings`. A feature injects them as an interface of those that it uses. */
export const SERVICE_OPTIONS = Symbol('service options');

/** Provides the options everywhere. */
@Module({})
export class OptionsModule {
  static forRoot(options: object): DynamicModule {
    return {
      module: OptionsModule,
      global: true,
      providers: [{ provide: SERVICE_OPTIONS, useValue: options }],
      exports: [SERVICE_OPTIONS],
    };
  }
}
