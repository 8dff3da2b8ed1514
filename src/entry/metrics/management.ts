import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { NO_ROUTE, sendProblem } from '../../platform/http/problem';
import type { HealthService } from '../health/health.service';
import type { Metrics } from './metrics';

/**
 * Serves `/metrics`, `/livez` and `/readyz` on a port of their own, which no gateway exposes. It listens until the
 * process ends, so that the metrics of a drain can be scraped too.
 */
export const managementServer = (metrics: Metrics, health: HealthService): Server =>
  createServer((request, response) => {
    answer(request, response, metrics, health).catch(() =>
      sendProblem(request, response, { status: 500, detail: 'The metrics could not be read.' }),
    );
  });

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  metrics: Metrics,
  health: HealthService,
): Promise<void> {
  const path = request.url?.split('?')[0];
  if (path !== '/metrics' && path !== '/livez' && path !== '/readyz') {
    return sendProblem(request, response, { status: 404, detail: NO_ROUTE });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return sendProblem(request, response, { status: 405, detail: 'Method not allowed. Use GET or HEAD.' });
  }
  const reason = path === '/readyz' ? await health.reasonNotReady() : undefined;
  if (reason) return sendProblem(request, response, { status: 503, detail: reason });
  const isMetrics = path === '/metrics';
  const body = isMetrics ? await metrics.text() : JSON.stringify({ status: 'ok' });
  response.setHeader('Content-Type', isMetrics ? metrics.contentType : 'application/json; charset=utf-8');
  response.end(request.method === 'HEAD' ? undefined : body);
}
