import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of the application. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
