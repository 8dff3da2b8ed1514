import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import document from '../../openapi.json';
import { useService } from '../support/service';

const service = useService();

/** Sends exactly these headers, and decodes nothing. */
const send = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<{ status?: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    request(service.url + path, { method, headers }, (response) => {
      buffer(response).then(
        (body) => resolve({ status: response.statusCode, headers: response.headers, body }),
        reject,
      );
    })
      .on('error', reject)
      .end();
  });

const FILES = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/initializer.js', 'text/javascript; charset=utf-8'],
  ['/docs/style.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/tokens.css', 'text/css; charset=utf-8'],
  ['/docs/inter-license.txt', 'text/plain; charset=utf-8'],
  ['/docs/LICENSE', 'text/plain; charset=utf-8'],
  ['/docs/NOTICE', 'text/plain; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js.LICENSE.txt', 'text/plain; charset=utf-8'],
] as const;

describe('/docs', () => {
  it('may run only its own files, and connect only to the service', async () => {
    const { headers, body } = await send('/docs');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(body.toString()).not.toMatch(/<style|<script>|style=|\son\w+=/);
  });

  it('refuses the queries with which Swagger UI would load another document', async () => {
    for (const name of ['url', 'configUrl', 'urls.primaryName']) {
      const { status } = await send(`/docs?${name}=https://example.com/openapi.json`);
      expect(status).toBe(400);
    }
  });

  it('has no other file, and tells so with a problem body', async () => {
    for (const path of [
      '/docs/',
      '/docs/index.html',
      '/docs/openapi.json',
      '/docs/style.css.gz',
      '/docs/style.css/',
      '/DOCS',
      '/docs/swagger-ui-bundle.js.map',
      '/docs/..%2fopenapi.json',
      '/docs/__proto__',
      '/docs/%zz',
    ]) {
      const { status, headers, body } = await send(path);
      expect({ path, status, ...JSON.parse(String(body)) }).toMatchObject({
        path,
        status: 404,
        code: 'not_found',
        detail: 'There is no such route.',
        requestId: headers['x-request-id'],
      });
    }
  });

  it('refers to no source map', () => {
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css'])
      expect(readFileSync(`dist/docs/docs/${name}`, 'utf8').slice(-200)).not.toContain('sourceMappingURL');
  });
});

it('serves the document that the sources contain', async () => {
  const { body } = await send('/openapi.json');
  expect(JSON.parse(String(body))).toEqual(document);
});

describe('every file', () => {
  it('has its type, the common headers and an entity tag', async () => {
    for (const [path, type] of FILES) {
      const { status, headers } = await send(path, { 'X-Request-ID': 'my-id' });
      expect({ path, status, ...headers }).toMatchObject({
        path,
        status: 200,
        'content-type': type,
        'x-request-id': 'my-id',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
        vary: 'Accept-Encoding',
        etag: expect.stringMatching(/^"[\w-]{43}"$/),
      });
    }
  });

  it('is compressed for who accepts that, with another tag', async () => {
    for (const [path] of FILES) {
      const plain = await send(path);
      const zipped = await send(path, { 'Accept-Encoding': 'gzip' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
      expect([path, zipped.headers.etag]).not.toEqual([path, plain.headers.etag]);
    }
  });

  it('is only read, and by HEAD without its body', async () => {
    for (const [path] of FILES) {
      for (const coding of ['identity', 'gzip']) {
        const get = await send(path, { 'Accept-Encoding': coding });
        const head = await send(path, { 'Accept-Encoding': coding }, 'HEAD');
        expect(head.body).toHaveLength(0);
        expect(get.headers['content-length']).toBe(String(get.body.length));
        for (const name of ['content-length', 'content-type', 'content-encoding', 'etag'])
          expect([path, head.headers[name]]).toEqual([path, get.headers[name]]);
      }
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, headers } = await send(path, {}, method);
        expect([path, method, status, headers.allow]).toEqual([path, method, 405, 'GET, HEAD']);
      }
    }
  });

  it('is a 304 for who has it', async () => {
    for (const [path] of FILES) {
      const tags = new Map<string, string>();
      for (const coding of ['identity', 'gzip']) {
        const headers = { 'Accept-Encoding': coding };
        const etag = (await send(path, headers)).headers.etag!;
        tags.set(coding, etag);
        for (const known of [etag, `W/${etag}`, `"1", ${etag}`, '*'])
          for (const method of ['GET', 'HEAD']) {
            const fresh = await send(path, { ...headers, 'If-None-Match': known }, method);
            expect(fresh).toMatchObject({ status: 304, headers: { etag, vary: 'Accept-Encoding' } });
            expect(fresh.headers['x-request-id']).toBeDefined();
            expect(fresh.headers['content-type']).toBeUndefined();
            expect(fresh.body).toHaveLength(0);
          }
        for (const other of ['"1"', `"${etag.slice(2)}`, etag.slice(1), '"', 'x'.repeat(2_000)])
          expect((await send(path, { ...headers, 'If-None-Match': other })).status).toBe(200);
      }
      const ofPlain = { 'Accept-Encoding': 'gzip', 'If-None-Match': tags.get('identity')! };
      expect([path, (await send(path, ofPlain)).status]).toEqual([path, 200]);
    }
  });

  it('has the coding that Accept-Encoding prefers', async () => {
    const codingFor = async (accepted: string) => [
      accepted,
      (await send('/openapi.json', { 'Accept-Encoding': accepted })).headers['content-encoding'],
    ];
    for (const accepted of ['gzip', 'gzip, deflate, br, zstd', 'GZIP', '*', 'identity;q=0, *', 'gzip;q=0.1'])
      expect(await codingFor(accepted)).toEqual([accepted, 'gzip']);
    const none = ['', 'br', 'gzip;q=0', 'gzip;q=0, *', 'gzip;q=0.1, identity', '*;q=0', ';,=gzip;;q'];
    for (const accepted of [...none, 'identity;q=0'])
      expect(await codingFor(accepted)).toEqual([accepted, undefined]);
  });
});
