import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DataSource } from 'typeorm';
import { poolOf } from '../../platform/database/connections/pool';
import { Database } from '../../platform/database/database';
import { Sender } from '../../webhooks/deliveries/sender';
import { loadMetrics } from '../metrics/load';
import type { Metrics } from '../metrics/metrics';
import type { MetricsRegistry } from '../metrics/registry';
import type { HostSettings } from './options';

/** The metrics of the service in the registry of the host, until it has closed its server. None without a registry. */
@Injectable()
export class HostMetrics implements OnApplicationShutdown {
  private takeOut?: () => void;

  static async open({ metrics: registry }: HostSettings, host: DataSource): Promise<HostMetrics> {
    const metrics = registry && (await loadMetrics('the option metrics', poolOf(host)));
    return new HostMetrics(metrics, registry);
  }

  private constructor(
    readonly metrics?: Metrics,
    private readonly registry?: MetricsRegistry,
  ) {}

  /** Registers them, when the service has started. */
  register(service: NestExpressApplication): void {
    if (!this.metrics || !this.registry) return;
    this.metrics.watch(service.get(Database), service.get(Sender).counts);
    this.takeOut = this.metrics.addTo(this.registry);
  }

  onApplicationShutdown(): void {
    this.takeOut?.();
  }
}
