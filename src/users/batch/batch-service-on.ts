import type { DataSource } from 'typeorm';
import { Background } from '../../background/background';
import { Lanes } from '../../database/lanes';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { BatchService } from './batch.service';

/** The service for a command, as the modules put it together for the server. */
export function batchServiceOn(dataSource: DataSource): BatchService {
  const lanes = new Lanes(1);
  const keys = new IdempotencyKeys(dataSource, new Background(false), lanes);
  return new BatchService(dataSource, lanes, keys);
}
