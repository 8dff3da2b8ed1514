import { Module } from '@nestjs/common';
import { IdempotencyKeys } from './idempotency-keys';
import { IdempotencyLeases } from './idempotency-leases';

@Module({ providers: [IdempotencyKeys, IdempotencyLeases], exports: [IdempotencyKeys, IdempotencyLeases] })
export class IdempotencyModule {}
