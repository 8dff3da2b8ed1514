import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import document from '../openapi.json';
import { DiscoveryService } from '@nestjs/core';
import { controllersOf } from '../src/service.module';
import { routesOf } from '../src/http/method-not-allowed';
import { isTokenValue } from '../src/tokens/token-value';
import { startService, type TestService } from './support/service';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

describe('openapi.json', () => {
  it('matches the code', async () => {
    await promisify(execFile)(process.execPath, ['scripts/openapi.mjs', '--check']);
  });

  it('has every route', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const routes = [...routesOf(controllersOf(service.app.get(DiscoveryService)))].map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replace(':id', '{id}')}`,
    );
    expect(described.sort()).toEqual(routes.sort());
  });

  it('contains no valid token', () => {
    const values = readFileSync('openapi.json', 'utf8').match(/umt_[0-9A-Za-z]{38}/g)!;
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter(isTokenValue)).toEqual([]);
  });

  it('is served without a token', async () => {
    const { body } = await service.anonymous().get('/openapi.json').expect(200);
    expect(body).toEqual(document);
    const { headers } = await service.anonymous().post('/openapi.json', {}).expect(405);
    expect(headers.allow).toBe('GET, HEAD');
  });
});

describe('GET /docs', () => {
  it('shows every operation and contains no scripts', async () => {
    const { text, headers } = await service.anonymous().get('/docs').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const path of Object.keys(document.paths)) expect(text).toContain(`GET ${path}`.slice(4));
    expect(text).not.toMatch(/<script|https?:|\son\w+=|undefined|\[object/);
    await service.anonymous().delete('/docs').expect(405);
  });
});
