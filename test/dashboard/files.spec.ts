/**
 * @only embedded: the requests of the dashboard are those of the API
 */
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { basename, extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

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
const getRaw = (path: string) =>
  new Promise<{ status?: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    get({ hostname, port, path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    }).on('error', reject);
  });

const SECURITY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

describe('/dashboard', () => {
  it('is a page that is not cached and runs only its own files', async () => {
    const { headers, text } = await request(service.url).get('/dashboard').expect(200);
    expect(headers).toMatchObject({
      ...SECURITY,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses.length).toBe(3);
    for (const address of addresses) expect(names).toContain(/^\.\/dashboard\/(.*)$/.exec(address)![1]);
    expect(text).not.toMatch(/<style|<script>|style=|\son\w+=/);
  });

  it.each([
    '/users',
    '/users/usr_00000000000000000000000000',
    '/tokens',
    '/tokens/tok_00000000000000000000000000',
    '/groups',
    '/groups/grp_00000000000000000000000000',
    '/webhooks',
    '/activity',
    '/deleted',
    '/users?q=ada',
  ])('%s is the same page, whose links lead to the same files', async (path) => {
    const { headers, text } = await request(service.url).get(`/dashboard${path}`).expect(200);
    expect(headers).toMatchObject({
      ...SECURITY,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    const { text: first } = await request(service.url).get('/dashboard').expect(200);
    const linksIn = (text: string, at: string) =>
      [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => new URL(address, at).href);
    const links = linksIn(text, `${service.url}/dashboard${path}`);
    expect(links).toEqual(linksIn(first, `${service.url}/dashboard`));
    expect(links.length).toBe(3);
  });

  it('is the page at every path in dashboard/routes.ts, and below those whose items have a page', async () => {
    const sections = routes.split("path: '").slice(1);
    expect(sections.length).toBeGreaterThan(5);
    for (const section of sections) {
      const path = `/dashboard/${section.split("'")[0]}`.replace(/\/$/, '');
      await request(service.url).get(path).expect(200);
      await request(service.url)
        .get(`${path}/abc_0`)
        .expect(section.includes('item:') ? 200 : 404);
    }
  });

  it.each(names)('/%s has a hash in its name and may be cached forever', async (name) => {
    const { headers, body, text } = await request(service.url).get(`/dashboard/${name}`).expect(200);
    expect(headers).toMatchObject({
      ...SECURITY,
      'content-type': TYPES[extname(name)],
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding',
    });
    expect(name).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    expect(text ?? body.toString()).toBe(read(`dashboard/${name}`).toString());
  });

  it.each(['', `/${script}`])('%s has an X-Request-ID, by default a new one', async (path) => {
    const { headers } = await request(service.url)
      .get(`/dashboard${path}`)
      .set('X-Request-ID', 'my-id')
      .set('Accept-Encoding', 'identity') // which the HEAD below asks for
      .expect(200);
    expect(headers['x-request-id']).toBe('my-id');
    const other = await request(service.url).head(`/dashboard${path}`).expect(200);
    expect(other.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.headers['content-length']).toBe(headers['content-length']);
    expect(other.text).toBeUndefined();
  });

  it('redirects from a trailing slash, below any path prefix', async () => {
    const { headers } = await request(service.url).get('/dashboard/').expect(308);
    expect(headers.location).toBe('../dashboard');
    expect(headers['x-request-id']).toBeDefined();
    const item = await request(service.url).get('/dashboard/users/usr_0/').expect(308);
    expect(item.headers.location).toBe('../usr_0');
  });

  it.each([
    '/dashboard/nothing',
    '/dashboard/users//',
    '/dashboard/users/a/b',
    '/dashboard/users/a.b',
    '/dashboard/activity/evt_0',
    '/dashboard/nothing.js',
    '/dashboard/index.html',
    '/dashboard/dashboard',
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
  ])('%s is a 404 with a problem body', async (path) => {
    const response = await getRaw(path);
    expect(response.status).toBe(404);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(response.text)).toMatchObject({
      code: 'not_found',
      requestId: response.headers['x-request-id'],
    });
  });

  it.each(['post', 'put', 'patch', 'delete', 'options'] as const)('answers 405 to %s', async (method) => {
    for (const path of ['/dashboard', `/dashboard/${script}`]) {
      const { headers, body } = await request(service.url)[method](path).expect(405);
      expect(headers.allow).toBe('GET, HEAD');
      expect(body).toMatchObject({ code: 'method_not_allowed', requestId: headers['x-request-id'] });
    }
  });

  it('has at most 60 KB of compressed script until the first page is shown, and 140 KB in all', () => {
    const size = (names: string[]) =>
      names.reduce((sum, name) => sum + gzipSync(read(`dashboard/${name}`)).length, 0);
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
    expect(size([...first])).toBeLessThanOrEqual(60 * 1024);
    expect(size(scripts)).toBeLessThanOrEqual(140 * 1024);
  });
});

describe('a browser', () => {
  const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const CHROME_IMAGES = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

  it('is led from / to the dashboard, below any path prefix', async () => {
    const client = request(service.url);
    for (const asked of [client.get('/'), client.head('/'), client.get('/?from=mail')]) {
      const { headers } = await asked.set('Accept', ACCEPT).set('X-Request-ID', 'my-id').expect(302);
      expect(headers).toMatchObject({
        location: 'dashboard',
        'x-request-id': 'my-id',
        'cache-control': 'no-store',
      });
    }
  });

  it.each([
    ['get', '/', '*/*'],
    ['get', '/', 'application/json'],
    ['post', '/', ACCEPT],
    ['get', '/nothing', ACCEPT],
  ] as const)('%s %s with %s is still a 404 with a problem body', async (method, path, accept) => {
    const { headers, body } = await request(service.url)[method](path).set('Accept', accept).expect(404);
    expect(body).toMatchObject({ code: 'not_found', requestId: headers['x-request-id'] });
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
