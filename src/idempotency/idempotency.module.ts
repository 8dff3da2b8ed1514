import { Module } from '@nestjs/common';
import { BackgroundModule } from '../background/background.module';
import type { Feature } from '../feature/feature';
import { IdempotencyKey } from './idempotency-key.entity';
import { IdempotencyKeys } from './idempotency-keys';

@Module({ imports: [BackgroundModule], providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {
  static readonly feature: Feature = { entities: [IdempotencyKey] };
}
