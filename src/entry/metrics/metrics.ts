// Deprecated in favor of @prometheus-io/client, which requires Node 22: it stays as long as Node 20 is supported.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../../platform/feature/version';
import type { Database } from '../../platform/database/database';
import type { RequestRecord } from '../../platform/http/access-log';
import { countEvents, countUndelivered, oldestUnnumbered } from '../../events/event-statistics';
import type { DeliveryCounts } from '../../webhooks/deliveries/sender';
import { webhookLag } from '../../webhooks/webhook-lag';
import { countExpiringTokens, IN_USE_DAYS, WARNING_DAYS } from './expiring-tokens';
import type { MetricsRegistry } from './registry';

const REFRESH_MS = 60_000;

const WHEN_UPDATED = 'updated every minute; NaN while the database is unreachable.';

/** The connections of the pool. */
export type Pool = Record<'totalCount' | 'idleCount' | 'waitingCount', number>;

/**
 * The metrics of this process, in a registry of their own, because other code may use prom-client's global one.
 * Labels are templates, methods, statuses and reasons, which have few values, and never ids.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];
  private refreshing?: NodeJS.Timeout;

  private readonly requests = new Histogram({
    name: 'ums_http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response, by the template of its path.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: this.registers,
  });

  private readonly refusals = new Counter({
    name: 'ums_http_refusals_total',
    help: 'Requests rejected with 401, 403 or 429, by reason: missing_token, invalid_token, invalid_client, the missing scope or rate_limited.',
    labelNames: ['status', 'reason'],
    registers: this.registers,
  });

  private readonly expiring = this.gauge(
    'ums_tokens_expiring',
    `Active tokens that expire within ${WARNING_DAYS} days, ${WHEN_UPDATED}`,
  );

  private readonly expiringInUse = this.gauge(
    'ums_tokens_expiring_in_use',
    `Those of them that were used within the last ${IN_USE_DAYS} days, ${WHEN_UPDATED}`,
  );

  private readonly events = this.gauge(
    'ums_events_numbered',
    `Events of all organizations so far, removed ones included, ${WHEN_UPDATED}`,
  );

  private readonly oldestUnnumbered = this.gauge(
    'ums_events_oldest_unnumbered_seconds',
    `Age of the oldest event without a number, which readers do not see yet; ${WHEN_UPDATED}`,
  );

  private readonly undelivered = new Gauge({
    name: 'ums_subscriber_undelivered_events',
    help: 'Events still to be delivered to a subscriber of a host application, updated every minute; absent while the database is unreachable.',
    labelNames: ['subscriber'],
    registers: this.registers,
  });

  private readonly webhookLag = this.gauge(
    'ums_webhook_lag_seconds',
    `How overdue the oldest webhook delivery is that may be sent now, ${WHEN_UPDATED}`,
  );

  constructor(pool: Pool) {
    new Gauge({
      name: 'ums_build_info',
      help: 'The running versions of the service and Node.js.',
      labelNames: ['version', 'node'],
      registers: this.registers,
    }).set({ version: VERSION, node: process.version }, 1);
    this.watchPool(pool);
    for (const gauge of [
      this.expiring,
      this.expiringInUse,
      this.events,
      this.oldestUnnumbered,
      this.webhookLag,
    ])
      gauge.set(NaN);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format. It runs no query, so that a scrape never waits. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /**
   * Shows all that exist now in a registry of a host, too. Returns a function that takes them out of it, and ends the
   * reading of the database.
   */
  addTo(registry: MetricsRegistry): () => void {
    const metrics = this.registry.getMetricsAsArray();
    const names = metrics.map(({ name }) => name); // a registry of OpenMetrics renames counters
    for (const metric of metrics) registry.registerMetric(metric as never);
    return () => {
      clearInterval(this.refreshing);
      for (const name of names) registry.removeSingleMetric(name);
    };
  }

  /** Adds those of Node.js, which a host has of its own. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  count({ method, route = 'none', status, refusal, ms }: RequestRecord): void {
    this.requests.observe({ method, route, status }, ms / 1000);
    if (refusal) this.refusals.inc({ status, reason: refusal });
  }

  /** A gauge that is set, or that reads its value at each scrape. */
  private gauge(name: string, help: string, value?: () => number): Gauge {
    const collect = value && (() => gauge.set(value()));
    const gauge: Gauge = new Gauge({ name, help, registers: this.registers, collect });
    return gauge;
  }

  private watchPool(pool: Pool): void {
    const inUse = () => pool.totalCount - pool.idleCount;
    this.gauge('ums_database_connections_in_use', 'Connections in use.', inUse);
    this.gauge('ums_database_connections_idle', 'Idle connections.', () => pool.idleCount);
    const waiting = () => pool.waitingCount;
    this.gauge('ums_database_connections_waiting', 'Queries waiting for a connection.', waiting);
  }

  /** Counts the attempts of webhooks, and reads the figures of the database from now on. */
  watch(database: Database, counts: DeliveryCounts): void {
    void this.refresh(database);
    this.refreshing = setInterval(() => void this.refresh(database), REFRESH_MS).unref();
    new Counter({
      name: 'ums_webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by outcome: delivered, to be retried, or failed for good.',
      labelNames: ['outcome'],
      registers: this.registers,
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count);
      },
    });
  }

  private async refresh(database: Database): Promise<void> {
    const ask = (question: (database: Database) => Promise<number>) => question(database).catch(() => NaN);
    const expiring = await countExpiringTokens(database).catch(() => ({ all: NaN, inUse: NaN }));
    this.expiring.set(expiring.all);
    this.expiringInUse.set(expiring.inUse);
    this.events.set(await ask(countEvents));
    this.oldestUnnumbered.set(await ask(oldestUnnumbered));
    this.webhookLag.set(await ask(webhookLag));
    const lags = await countUndelivered(database).catch(() => []);
    this.undelivered.reset();
    for (const { subscriber, events } of lags) this.undelivered.set({ subscriber }, events);
  }
}
