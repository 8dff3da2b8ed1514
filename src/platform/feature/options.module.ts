import { type DynamicModule, Module } from '@nestjs/common';

/** The injection token of the options. A feature types them as an interface of its own, with those that it uses. */
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
