import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Database } from '../../platform/database/database';
import { OUTDATED } from '../../platform/database/migrate';
import { HealthService } from '../health/health.service';
import { SERVICE } from './service';

/** In a host, `ums migrate` would need to know the host's database and schema. */
const OUTDATED_IN_HOST =
  'The schema is older than this release. Call runMigrations(), or start a process with migrate: true.';

/** A result in the form of `@nestjs/terminus`. */
export type HealthResult<Key extends string = string> = Record<
  Key,
  { status: 'up' | 'down'; message?: string }
>;

/** Whether the service can take requests: a health indicator for `@nestjs/terminus` 11 and 12. */
@Injectable()
export class UserManagementHealth implements OnModuleDestroy {
  private readonly health: HealthService;

  /** @internal Nest constructs it. */
  constructor(@Inject(SERVICE) service: NestExpressApplication) {
    this.health = new HealthService(service.get(Database));
  }

  /**
   * Checks what `/readyz` does in a process of its own; if the service is down, `message` says why. It never throws,
   * answers within two seconds, and asks the database at most once a second.
   */
  async isHealthy<const Key extends string>(key: Key): Promise<HealthResult<Key>> {
    const reason = await this.health.reasonNotReady();
    const message = reason === OUTDATED ? OUTDATED_IN_HOST : reason;
    return { [key]: message ? { status: 'down', message } : { status: 'up' } } as HealthResult<Key>;
  }

  /** Nest calls it first when the host closes, while the host still serves. */
  onModuleDestroy(): void {
    this.health.drain();
  }
}
