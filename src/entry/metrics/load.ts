import { notInstalled } from '../../platform/feature/not-installed';
import type { Metrics, Pool } from './metrics';

/**
 * The metrics of this process, which `setting` asks for. Imported only then: prom-client takes more memory than the
 * service's own code, and a host application may not have it.
 */
export async function loadMetrics(setting: string, pool: Pool): Promise<Metrics> {
  const imported = await import('./metrics.ts').catch(notInstalled('prom-client', setting));
  return new imported.Metrics(pool);
}
