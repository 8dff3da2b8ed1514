import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { basename, extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { startService, useService } from '../support/service';

const service = useService();

const names = readdirSync('dist/dashboard/dashboard').filter((name) => !name.endsWith('.gz'));
const read = (name: string) => readFileSync(`dist/dashboard/${name}`);
const scripts = names.filter((name) => name.endsWith('.js'));
const html = readFileSync('dist/dashboard/index.html', 'utf8');
const [, script] = /src=".\/dashboard\/([^"]*)"/.exec(html)!;

const routes = readFileSync('dashboard/routes.ts', 'utf8');

/** The script of the page that is shown at /dashboard. */
const firstPage = () => {
  const [, path] = /path: '',[^]*?import\('\.\/([^']+)\.tsx'\)/.exec(routes)!;
  return scripts.find((name) => name.startsWith(`${basename(path)}-`))!;
};

/** Requests a path unchanged; other clients normalize it first. */
const getRaw = (path: string, headers = {}) =>
  new Promise<{ status?: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    get({ hostname, port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    }).on('error', reject);
  });

const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const PAGE = { ...SECURITY, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

describe('/dashboard', () => {
  it('is a page that is not cached and runs only its own files', async () => {
    const { headers, text } = await request(service.url).get('/dashboard').expect(200);
    expect(headers).toMatchObject(PAGE);
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.length).toBe(3);
    for (const address of addresses) expect(names).toContain(/^\.\/dashboard\/(.*)$/.exec(address)![1]);
    expect(text).not.toMatch(/<style|<script>|style=|\son\w+=/);
  });

  it('is the same page at every path in dashboard/routes.ts, and below those whose items have a page', async () => {
    const linksIn = (text: string, at: string) =>
      [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => new URL(address, at).href);
    const first = `${service.url}/dashboard`;
    const links = linksIn((await request(first).get('').expect(200)).text, first);
    const sections = routes.split("path: '").slice(1);
    expect(sections.length).toBeGreaterThan(5);
    for (const section of sections) {
      const path = `/dashboard/${section.split("'")[0]}`.replace(/\/$/, '');
      const hasItems = section.includes('item:');
      for (const address of [
        `${path}?q=ada`,
        ...(hasItems ? [`${path}/usr_00000000000000000000000000`] : []),
      ]) {
        const { headers, text } = await request(service.url).get(address).expect(200);
        expect(headers).toMatchObject(PAGE);
        expect([address, linksIn(text, service.url + address)]).toEqual([address, links]);
      }
      if (!hasItems) await request(service.url).get(`${path}/abc_0`).expect(404);
    }
  });

  it('is told its title, which is text whatever is in it', async () => {
    const title = `<b>"R&D" ./$& – 's`;
    const titled = await startService({ DASHBOARD_TITLE: title });
    for (const path of ['/dashboard', '/dashboard/users/usr_00000000000000000000000000']) {
      const { text } = await request(titled.url).get(path).expect(200);
      const [meta] = /<meta name="dashboard-title"[^>]*>/.exec(text)!;
      expect(meta).toBe(
        '<meta name="dashboard-title" content="&lt;b&gt;&quot;R&amp;D&quot; ./$&amp; – &#39;s" />',
      );
    }
    await titled.close();
    expect((await request(service.url).get('/dashboard')).text).not.toContain('dashboard-title');
  });

  it('has files with a hash in their names, which may be cached forever', async () => {
    for (const name of names) {
      const { headers, body, text } = await request(service.url).get(`/dashboard/${name}`).expect(200);
      const isFont = extname(name) === '.woff2'; // which is compressed
      expect({ name, 'content-encoding': undefined, ...headers }).toMatchObject({
        ...SECURITY,
        name: expect.stringMatching(/-[\w-]{8}\.(js|css|svg|woff2)$/),
        'content-type': TYPES[extname(name)],
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': isFont ? undefined : 'gzip',
        vary: 'Accept-Encoding',
      });
      const file = read(`dashboard/${name}`);
      if (isFont) expect(file.equals(body)).toBe(true);
      else expect(text ?? body.toString()).toBe(file.toString());
    }
  });

  it('has an X-Request-ID, by default a new one, as its files have', async () => {
    for (const path of ['/dashboard', `/dashboard/${script}`]) {
      const { headers } = await request(service.url)
        .get(path)
        .set('X-Request-ID', 'my-id')
        .set('Accept-Encoding', 'identity') // which the HEAD below asks for
        .expect(200);
      expect(headers['x-request-id']).toBe('my-id');
      const other = await request(service.url).head(path).expect(200);
      expect(other.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(other.headers['content-length']).toBe(headers['content-length']);
      expect(other.text).toBeUndefined();
    }
  });

  it('redirects from a trailing slash, below any path prefix', async () => {
    const { headers } = await request(service.url).get('/dashboard/').expect(308);
    expect(headers.location).toBe('../dashboard');
    expect(headers['x-request-id']).toBeDefined();
    const item = await request(service.url).get('/dashboard/users/usr_0/').expect(308);
    expect(item.headers.location).toBe('../usr_0');
  });

  it('is a 404 with a problem body at any other path', async () => {
    for (const path of [
      '/dashboard/nothing',
      '/dashboard/users//',
      '/dashboard/users/a/b',
      '/dashboard/users/a.b',
      '/dashboard/nothing.js',
      '/dashboard/index.html',
      `/dashboard/dashboard/${script}`,
      `/dashboard//${script}`,
      `/dashboard/${script}/`,
      `/DASHBOARD/${script}`,
      '/dashboards',
      '/dashboard/../package.json',
      '/dashboard/..%2f..%2fpackage.json',
      '/dashboard/%2e%2e/src/main.js',
      '/dashboard/..\\index.html',
      '/dashboard/%00',
      '/dashboard/%zz',
      '/dashboard/__proto__',
    ]) {
      const { status, headers, text } = await getRaw(path);
      const type = headers['content-type'];
      expect({ path, status, type }).toEqual({
        path,
        status: 404,
        type: 'application/problem+json; charset=utf-8',
      });
      expect(JSON.parse(text)).toMatchObject({ code: 'not_found', requestId: headers['x-request-id'] });
    }
  });

  it('answers 405 to other methods, as its files do', async () => {
    for (const method of ['post', 'put', 'patch', 'delete', 'options'] as const)
      for (const path of ['/dashboard', `/dashboard/${script}`]) {
        const { headers, body } = await request(service.url)[method](path).expect(405);
        expect(headers.allow).toBe('GET, HEAD');
        expect(body).toMatchObject({ code: 'method_not_allowed', requestId: headers['x-request-id'] });
      }
  });

  it('has at most 60 KB of compressed code until the first page is shown, and 120 KB in all, without fonts', () => {
    const size = (names: string[]) =>
      names.reduce((sum, name) => sum + gzipSync(read(`dashboard/${name}`)).length, 0);
    const styles = names.filter((name) => name.endsWith('.css'));
    /** The scripts that one imports before it runs, and those that they import. */
    const neededBy = (name: string, found = new Set<string>()): Set<string> => {
      if (found.has(name)) return found;
      found.add(name);
      const code = read(`dashboard/${name}`).toString();
      for (const [, other] of code.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) neededBy(other, found);
      return found;
    };
    const first = new Set([...neededBy(script), ...neededBy(firstPage())]);
    expect(first.size).toBeGreaterThan(2);
    expect(size([...first, ...styles])).toBeLessThanOrEqual(60 * 1024);
    expect(size([...scripts, ...styles])).toBeLessThanOrEqual(120 * 1024);
  });
});

describe('a browser', () => {
  const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const CHROME_IMAGES = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

  it('is led from / to the dashboard, below any path prefix', async () => {
    const client = request(service.url);
    for (const asked of [client.get('/'), client.head('/'), client.get('/?from=mail')]) {
      const forged = { Accept: ACCEPT, Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' };
      const { headers } = await asked.set(forged).set('X-Request-ID', 'my-id').expect(303);
      expect(headers).toMatchObject({
        location: 'dashboard',
        vary: 'Accept',
        'x-request-id': 'my-id',
        'cache-control': 'no-store',
      });
    }
  });

  it('is led there from no other path, and no other client is led', async () => {
    for (const [method, path, accept] of [
      ['get', '/', '*/*'],
      ['get', '/', 'application/json'],
      ['get', '/', 'application/json, text/html;q=0.9'],
      ['post', '/', ACCEPT],
      ['get', '/nothing', ACCEPT],
    ] as const) {
      const { headers, body } = await request(service.url)[method](path).set('Accept', accept).expect(404);
      expect(body).toMatchObject({ code: 'not_found', requestId: headers['x-request-id'] });
      expect([method, path, headers.vary]).toEqual([
        method,
        path,
        path === '/' && method === 'get' ? 'Accept' : undefined,
      ]);
    }
    for (const path of ['//evil.example', '//evil.example/..', '/\\evil.example', '/.//evil.example'])
      expect((await getRaw(path, { Accept: ACCEPT })).headers.location).toBeUndefined();
  });

  it('gets the icon of the dashboard as /favicon.ico', async () => {
    const { headers, body } = await request(service.url)
      .get('/favicon.ico')
      .set('Accept', CHROME_IMAGES)
      .expect(200);
    expect(headers).toMatchObject({ ...SECURITY, 'content-type': 'image/svg+xml' });
    expect(headers['x-request-id']).toBeDefined();
    const [icon] = names.filter((name) => name.endsWith('.svg'));
    expect(body.toString()).toBe(read(`dashboard/${icon}`).toString());
  });
});
