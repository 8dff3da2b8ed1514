import { Module } from '@nestjs/common';
import { BackgroundModule } from '../background/background.module';
import type { Feature } from '../feature/feature';
import { deleteRows } from '../feature/personal-data';
import { IdempotencyKey } from './idempotency-key.entity';
import { IdempotencyKeys } from './idempotency-keys';

@Module({ imports: [BackgroundModule], providers: [IdempotencyKeys], exports: [IdempotencyKeys] })
export class IdempotencyModule {
  static readonly feature: Feature = {
    entities: [IdempotencyKey],
    personal: [
      {
        entity: IdempotencyKey,
        purge: deleteRows(IdempotencyKey, 'userId'),
        export: { not: 'a copy of the response that created the user, kept for a day' },
      },
    ],
  };
}
