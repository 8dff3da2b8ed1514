import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { readConfig } from '../../src/entry/process/config';
import { describeInBrowser, launch } from '../support/browser';
import { startService, type TestService, useService } from '../support/service';

const ORIGIN = 'https://app.example.com';

const EXPOSED =
  'X-Request-ID,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,X-Token-Expires-At,Retry-After,Location,Idempotent-Replayed,Link,ETag,WWW-Authenticate';

describe('without CORS_ORIGINS', () => {
  const service = useService();

  it('no response has a CORS header, and a preflight is a 405', async () => {
    const api = await service.client();
    const preflight = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' };
    for (const { headers } of [
      await api.get('/api/v1/users').set('Origin', ORIGIN).expect(200),
      await service.anonymous().send('options', '/api/v1/users').set(preflight).expect(405),
    ])
      expect(Object.keys(headers).filter((name) => /^access-control|^vary$/.test(name))).toEqual([]);
  });
});

describe('with CORS_ORIGINS', () => {
  const service = useService({
    CORS_ORIGINS: `${ORIGIN}, http://localhost:5173`,
    RATE_LIMIT_PER_MINUTE: '5',
  });

  const preflight = (path: string, origin = ORIGIN) =>
    service.anonymous().send('options', path).set({
      Origin: origin,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type',
    });

  it('a preflight needs no token', async () => {
    for (const path of ['/api/v1/users/usr_x', '/v1/tokens', '/api/nothing']) {
      const { headers } = await preflight(path).set('X-Request-ID', 'mine').expect(204, {});
      expect({ path, ...headers }).toMatchObject({
        path,
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-headers':
          'Authorization,Content-Type,X-Request-ID,If-Match,If-None-Match,Idempotency-Key,X-On-Behalf-Of',
        'access-control-max-age': '600',
        vary: 'Origin',
        'x-request-id': 'mine',
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('a preflight allows every method of the API', async () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const used = new Set(Object.values<object>(paths).flatMap(Object.keys));
    const { headers } = await preflight('/api/v1/users').expect(204);
    const allowed = headers['access-control-allow-methods'].toLowerCase().split(',');
    expect(allowed.sort()).toEqual([...used.add('head')].filter((name) => name !== 'parameters').sort());
  });

  it('every response can be read by each origin, errors too', async () => {
    for (const origin of ['http://localhost:5173', ORIGIN]) {
      const [api, anonymous] = [await service.client(), service.anonymous()];
      for (const call of [
        ...[200, 200, 200, 200].map((status) => api.get('/api/v1/users').expect(status)),
        api
          .post('/api/v1/users')
          .type('json')
          .send(`"${'x'.repeat(70_000)}"`)
          .expect(413),
        api.get('/api/v1/users').expect(429),
        anonymous.get('/api/v1/users').expect(401),
        anonymous.get('/api/v1/users/%zz').expect(404),
        anonymous.send('options', '/v1/tokens').expect(405),
        anonymous.get('/livez').expect(200),
        anonymous.get('/openapi.json').expect(200),
      ]) {
        const { headers } = await call.set('Origin', origin);
        expect(headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-expose-headers': EXPOSED,
          'x-request-id': expect.any(String),
        });
        expect(headers.vary).toContain('Origin');
      }
    }
  });

  it('no other origin may read a response', async () => {
    for (const origin of ['https://evil.example', 'http://app.example.com', `${ORIGIN}.evil.example`, 'null'])
      for (const { headers } of [
        await preflight('/api/v1/users', origin),
        await service.anonymous().get('/livez').set('Origin', origin).expect(200),
      ]) {
        expect(headers['access-control-allow-origin']).toBeUndefined();
        expect(headers.vary).toBe('Origin');
      }
  });
});

describe('CORS_ORIGINS', () => {
  it('takes origins', () => {
    const text =
      'https://app.example.com,http://localhost:5173 , https://b.example:8443,http://[::1]:3000,capacitor://localhost';
    expect(readConfig({ CORS_ORIGINS: text }).corsOrigins).toEqual(text.split(/[ ,]+/));
  });

  it('names what is not an origin, and tells how to write the one that it has', () => {
    for (const [text, advice] of [
      ...['*', 'null', 'app.example.com', 'localhost:5173', 'https://*.example.com', 'file://'].map(
        (origin) => [origin],
      ),
      ['https://a.example https://b.example'],
      ['https://app.example.com/', 'https://app.example.com'],
      ['https://App.example.com/path', 'https://app.example.com'],
      ['https://app.example.com:443', 'https://app.example.com'],
      ['https://user@app.example.com', 'https://app.example.com'],
      ['https://$target/$property', 'https://$target'],
    ]) {
      const read = () => readConfig({ CORS_ORIGINS: text });
      expect(read).toThrow('CORS_ORIGINS must be origins separated by commas');
      expect(read).toThrow(`; "${text}" is not one${advice ? `; write it as ${advice}` : ''}`);
      if (!advice) expect(read).not.toThrow('write it as');
    }
    expect(() => readConfig({ CORS_ORIGINS: 'https://a.example,' })).toThrow('is not one');
  });
});

describeInBrowser('a page of another origin', () => {
  let pages: Server;
  let browser: Browser;
  let service: TestService;
  let port: number;
  beforeAll(async () => {
    // Serves the built client to the page.
    pages = createServer(({ url }, response) => {
      const isScript = /^\/[\w-]+\.js$/.test(url!);
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? readFileSync(`client/dist/esm${url}`) : '<title>Page</title>');
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    port = (pages.address() as AddressInfo).port;
    [browser, service] = await Promise.all([
      launch(),
      startService({ CORS_ORIGINS: `http://127.0.0.1:${port}`, RATE_LIMIT_PER_MINUTE: '5' }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    pages.closeAllConnections();
    pages.close();
    await service?.close();
  });

  /** Runs the body of an async function, with the client, `baseUrl`, `clientId` and `token`, in a page of the host. */
  async function inPage(host: string, body: string): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(`http://${host}:${port}/folder/page.html?a=b`);
    const { tokenId, tokenValue } = await service.client();
    const result = await page.evaluate(`(async () => {
      const { createClient } = await import('/index.js');
      const [baseUrl, clientId, token] = ${JSON.stringify([service.url, tokenId, tokenValue])};
      ${body}
    })()`);
    await page.close();
    return result;
  }

  it('uses the client, and reads headers and errors', async () => {
    const result = await inPage(
      '127.0.0.1',
      `const headers = [];
       const client = createClient({ baseUrl, token, requestId: () => 'page-1', fetch: async (...call) => {
         const response = await fetch(...call);
         headers.push(response.headers.get('X-RateLimit-Remaining') + ' ' + response.headers.get('X-Request-ID'));
         return response;
       } });
       const codeOf = (call) => call.then(() => 'ok', ({ code, retryAfter }) => retryAfter > 30 ? code + ' with Retry-After' : code);
       const user = await client.users.create({ name: 'Ada', email: 'ada@example.com' });
       await client.users.update(user.id, { name: 'Ada Lovelace' }, { onBehalfOf: 'Zoë 🚀' });
       return [
         await codeOf(client.users.create({ name: '', email: '' })),
         await codeOf(client.users.get('usr_x')),
         await codeOf(client.users.delete(user.id)),
         await codeOf(client.users.list().page()),
         await codeOf(createClient({ baseUrl, token: 'umt_unknown' }).users.list().page()),
         headers[0],
       ];`,
    );
    expect(result).toEqual([
      'validation_failed',
      'not_found',
      'ok',
      'rate_limited with Retry-After',
      'unauthorized',
      '4 page-1',
    ]);
    const events = await service.dataSource.query(
      `SELECT on_behalf_of AS person FROM events WHERE type = 'user.updated'`,
    );
    expect(events).toEqual([{ person: 'Zoë 🚀' }]);
  });

  it('may let the client exchange credentials', async () => {
    const result = await inPage(
      '127.0.0.1',
      `const refused = createClient({ baseUrl, credentials: { assertion: () => 'no JWT' } });
       const client = createClient({ baseUrl, credentials: { clientId, clientSecret: token } });
       const { parentId } = await client.tokens.current();
       return [parentId === clientId, await refused.tokens.current().catch(({ code }) => code)];`,
    );
    expect(result).toEqual([true, 'unsupported_grant_type']);
  });

  it('cannot call the service if it is not listed', async () => {
    const result = inPage(
      'localhost',
      `return createClient({ baseUrl, token, retryBudgetMs: 0 }).users.list().page().catch(({ code }) => code);`,
    );
    expect(await result).toBe('unreachable');
  });

  it('may give the client a URL relative to itself', async () => {
    const result = await inPage(
      '127.0.0.1',
      `const requested = [];
       const fetch = async (url) => (requested.push(url), Response.json({}));
       for (const baseUrl of ['', '/internal/', 'below', location.origin])
         await createClient({ baseUrl, token, fetch }).tokens.current();
       return requested;`,
    );
    const paths = ['', '/internal', '/folder/below', ''];
    expect(result).toEqual(paths.map((path) => `http://127.0.0.1:${port}${path}/api/v1/tokens/current`));
  });
});
