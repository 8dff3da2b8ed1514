import { parse } from 'node:querystring';
import express from 'express';

/**
 * An Express that matches paths literally, because an upper-case path or an extra slash could bypass a gateway's rules.
 * Express reads these settings when it creates its router, and Nest's adapter triggers that in its constructor.
 */
export function strictExpress() {
  const app = express()
    // Node's default reads the first 1000 pieces only, so what comes after them would be ignored.
    .set('query parser', (query: string) => parse(query, '&', '=', { maxKeys: 0 }))
    .enable('case sensitive routing')
    .enable('strict routing')
    .disable('x-powered-by')
    .disable('etag'); // responses are `no-store`
  // Express would answer `If-None-Match: *` with a 304 on any route. What has an ETag compares it itself.
  Object.defineProperty(app.request, 'fresh', { value: false });
  return app;
}
