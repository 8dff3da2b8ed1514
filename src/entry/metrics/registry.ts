/** What a host's registry of prom-client must have. Its own type would require prom-client in every host. */
export interface MetricsRegistry {
  registerMetric(metric: never): void;
  removeSingleMetric(name: string): void;
}
