import { Module } from '@nestjs/common';
import type { Feature } from '../../platform/feature/feature';
import { HealthController } from './health.controller';
import { HealthService } from './health.service';

@Module({ controllers: [HealthController], providers: [HealthService], exports: [HealthService] })
export class HealthModule {
  static readonly feature: Feature = {
    personal: [],
    tags: [{ name: 'Health', description: 'Probes for load balancers and orchestrators.' }],
  };
}
