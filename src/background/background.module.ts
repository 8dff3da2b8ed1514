import { type DynamicModule, Module } from '@nestjs/common';
import { Background, BACKGROUND } from './background';

export interface BackgroundOptions {
  /** Whether this process does background work, such as removing what is kept for a limited time. */
  background: boolean;
}

@Module({})
export class BackgroundModule {
  static with({ background }: BackgroundOptions): DynamicModule {
    return {
      module: BackgroundModule,
      global: true, // every feature may add a job
      providers: [Background, { provide: BACKGROUND, useValue: background }],
      exports: [Background],
    };
  }
}
