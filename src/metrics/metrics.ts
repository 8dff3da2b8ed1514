// Deprecated in favor of @prometheus-io/client, which requires Node 22: it stays as long as Node 20 is supported.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DataSource } from 'typeorm';
import { info } from '../../openapi.json';
import type { RequestRecord } from '../http/access-log';
import type { WindowCounter } from '../rate-limit/window';
import { countEvents, countUndelivered, oldestUnnumbered } from '../events/event-statistics';
import { countExpiringTokens, WARNING_DAYS } from './expiring-tokens';

const REFRESH_MS = 60_000;

type Pool = Record<'totalCount' | 'idleCount' | 'waitingCount', number>;

/** The state of the rate limit's storage. */
export type Limiter = Pick<WindowCounter, 'storage' | 'fallbacks'>;

/**
 * The metrics of this process, in a registry of their own, because other code may use prom-client's global one.
 * Labels are templates, methods, statuses and reasons, which have few values, and never ids.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];

  private readonly requests = new Histogram({
    name: 'ums_http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response, by the template of its path.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: this.registers,
  });

  private readonly refusals = new Counter({
    name: 'ums_http_refusals_total',
    help: 'Requests rejected with 401, 403 or 429, by reason: missing_token, invalid_token, the missing scope or rate_limited.',
    labelNames: ['status', 'reason'],
    registers: this.registers,
  });

  private readonly expiring = new Gauge({
    name: 'ums_tokens_expiring',
    help: `Active tokens that expire within ${WARNING_DAYS} days, updated every minute; NaN while the database is unreachable.`,
    registers: this.registers,
  });

  private readonly events = new Gauge({
    name: 'ums_events_numbered',
    help: 'Events of all organizations so far, removed ones included, updated every minute; NaN while the database is unreachable.',
    registers: this.registers,
  });

  private readonly oldestUnnumbered = new Gauge({
    name: 'ums_events_oldest_unnumbered_seconds',
    help: 'Age of the oldest event without a number, which readers do not see yet; updated every minute, NaN while the database is unreachable.',
    registers: this.registers,
  });

  private readonly undelivered = new Gauge({
    name: 'ums_subscriber_undelivered_events',
    help: 'Events that a subscriber of a host application has still to get, updated every minute; absent while the database is unreachable.',
    labelNames: ['subscriber'],
    registers: this.registers,
  });

  constructor(private readonly dataSource: DataSource) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'ums_build_info',
      help: 'The running versions of the service and Node.js.',
      labelNames: ['version', 'node'],
      registers: this.registers,
    }).set({ version: info.version, node: process.version }, 1);
    this.watchPool((dataSource.driver as unknown as { master: Pool }).master);
    for (const gauge of [this.expiring, this.events, this.oldestUnnumbered]) gauge.set(NaN);
    void this.refresh();
    setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format. It runs no query, so that a scrape never waits. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  count({ method, route = 'none', status, refusal, ms }: RequestRecord): void {
    this.requests.observe({ method, route, status }, ms / 1000);
    if (refusal) this.refusals.inc({ status, reason: refusal });
  }

  watchLimiter(limiter: Limiter): void {
    new Gauge({
      name: 'ums_rate_limit_storage_info',
      help: 'The storage that counts the windows of the rate limit now.',
      labelNames: ['storage'],
      registers: this.registers,
      collect() {
        this.reset();
        this.set({ storage: limiter.storage }, 1);
      },
    });
    new Counter({
      name: 'ums_rate_limit_fallbacks_total',
      help: 'How often the storage of the rate limit became unreachable and another one took over.',
      registers: this.registers,
      collect() {
        this.reset();
        this.inc(limiter.fallbacks);
      },
    });
  }

  private watchPool(pool: Pool): void {
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name,
        help,
        registers: this.registers,
        collect() {
          this.set(value());
        },
      });
    gauge('ums_database_connections_in_use', 'Connections in use.', () => {
      return pool.totalCount - pool.idleCount;
    });
    gauge('ums_database_connections_idle', 'Idle connections.', () => pool.idleCount);
    gauge('ums_database_connections_waiting', 'Queries waiting for a connection.', () => pool.waitingCount);
  }

  private async refresh(): Promise<void> {
    const ask = (question: (dataSource: DataSource) => Promise<number>) =>
      question(this.dataSource).catch(() => NaN);
    this.expiring.set(await ask(countExpiringTokens));
    this.events.set(await ask(countEvents));
    this.oldestUnnumbered.set(await ask(oldestUnnumbered));
    const lags = await countUndelivered(this.dataSource).catch(() => []);
    this.undelivered.reset();
    for (const { subscriber, events } of lags) this.undelivered.set({ subscriber }, events);
  }
}
