import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { basename, extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { TokensService } from '../../src';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { person } from '../../src/entry/demo/people';
import { GroupsService } from '../../src/groups/groups.service';
import { ScimUsersService } from '../../src/scim/users/scim-users.service';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { buttonOf, shows, signIn, submits, toSection, useDashboard } from '../support/dashboard';
import { useService } from '../support/service';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

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
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
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

  it('has files with a hash in their names, which may be cached forever', async () => {
    for (const name of names) {
      const { headers, body, text } = await request(service.url).get(`/dashboard/${name}`).expect(200);
      expect({ name, ...headers }).toMatchObject({
        ...SECURITY,
        name: expect.stringMatching(/-[\w-]{8}\.(js|css|svg)$/),
        'content-type': TYPES[extname(name)],
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'gzip',
        vary: 'Accept-Encoding',
      });
      expect(text ?? body.toString()).toBe(read(`dashboard/${name}`).toString());
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

const imagesInReadme = [
  ...readFileSync('README.md', 'utf8').matchAll(/\]\((docs\/dashboard-[\w-]+\.png)\)/g),
].map(([, path]) => path);

const PEOPLE = [
  ['Ada Lovelace', 'admin', { team: 'analysis', plan: 'pro' }],
  ['Grace Hopper', 'member', { team: 'compilers', plan: 'pro', seats: 12, beta: true }],
  ['Alan Turing', 'member', { plan: 'free' }],
  ['Edsger Dijkstra', 'viewer', {}],
  ['Barbara Liskov', 'member', { team: 'types', plan: 'pro' }],
  ['Radia Perlman', 'viewer', { team: 'bridges' }],
] as const;

describeInBrowser('the README', () => {
  const { service, open } = useDashboard(WEBHOOK_ENV);
  const query = (sql: string, ...values: unknown[]) => service().dataSource.query(sql, values);

  async function seedTokens({ organizationId, tokenId }: Client) {
    const tokens = service().app.get(TokensService);
    for (const [name, scopes, expiresIn, usedAgo] of [
      ['CI pipeline', ['users:read'], '365d', '2 hours'],
      ['Contractor (Q4 audit)', ['users:read'], '30d', '12 days'],
      ['Support desk', ['users:read', 'users:write'], '9d', '3 minutes'],
      ['Billing export', ['users:read'], undefined, '1 day'],
      ['HR import', ['users:read', 'users:write', 'users:delete'], '90d', null],
    ] as const) {
      const { token } = await tokens.create(organizationId, { name, scopes: [...scopes], expiresIn });
      await query('UPDATE tokens SET last_used_at = now() - $2::interval WHERE id = $1', token.id, usedAgo);
      if (name.startsWith('Contractor')) await tokens.revoke(organizationId, token.id);
      if (name.startsWith('HR')) await tokens.rotate(organizationId, token.id, { overlap: '72h' });
    }
    await query(`UPDATE tokens SET name = 'Grace (operations)' WHERE id = $1`, tokenId);
  }

  /** Creates many users, people in groups, and one whom a directory has given. */
  async function seedUsers(api: Client) {
    const users = Array.from({ length: 240 }, (_, i) => {
      const { name, email, role } = person(i + 1);
      return { name, email, role, active: i % 11 !== 3 };
    });
    await api.post('/api/v1/users/batch', { users }).expect(200);
    const ids: string[] = [];
    for (const [name, role, metadata] of PEOPLE) {
      const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
      ids.push((await api.createUser({ name, email, role, metadata })).id);
    }
    const { organizationId } = api;
    const actor = { type: 'token', id: api.tokenId, name: 'Directory' } as const;
    const by = { organizationId, actor, source: 'scim', requestId: null } as const;
    const given = {
      ...{ userName: 'hedy.lamarr@example.com', displayName: 'Hedy Lamarr', title: 'Inventor' },
      ...{ department: 'Radio', manager: { displayName: 'George Antheil' } },
      phoneNumbers: [{ value: '+43 1 52520', type: 'work' }],
    };
    const { user } = await service().app.get(ScimUsersService, { strict: false }).create(by, given);
    const metadata = { team: 'radio', plan: 'pro', seats: 4 };
    await api.patch(`/api/v1/users/${user.id}`, { metadata }).expect(200);
    const groups = service().app.get(GroupsService);
    await groups.create(organizationId, { displayName: 'Engineering' }, [...ids, user.id]);
    await groups.create(organizationId, { displayName: 'On call' }, [ids[1], user.id]);
    return [...ids, user.id];
  }

  /** Spreads what has just been made over the last weeks. */
  async function age(organizationId: string) {
    const latestFirst = async (table: string): Promise<{ id: string }[]> =>
      query(`SELECT id FROM ${table} WHERE organization_id = $1 ORDER BY id DESC`, organizationId);
    for (const [i, { id }] of (await latestFirst('users')).entries()) {
      const n = i + 1;
      const hours = Math.round(n * (3 + 2 * Math.sin(n / 9)) + 1);
      const ages = `created_at = now() - interval '${hours} hours', updated_at = now() - interval '${hours * (1 - (n % 5) * 0.2)} hours'`;
      await query(`UPDATE users SET ${ages} WHERE organization_id = $1 AND id = $2`, organizationId, id);
    }
    for (const [i, { id }] of (await latestFirst('events')).entries()) {
      const happened = `occurred_at = now() - interval '${Math.min(i + 1, 80) ** 2 * 7} minutes'`;
      await query(`UPDATE events SET ${happened} WHERE organization_id = $1 AND id = $2`, organizationId, id);
    }
  }

  it('shows the dashboard; UPDATE_SCREENSHOTS=true retakes its pictures', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 760 } });
    const { id: organizationId } = await service().app.get(OrganizationsService).create('Analytical Engines');
    const api = await service().client({ organizationId });
    await seedTokens(api);
    const [, , alan, edsger, , radia, hedy] = await seedUsers(api);
    const types = ['user.purged']; // nothing is sent: nobody answers there
    const webhook = { url: 'https://wiki.example.com/hooks/users', types, description: 'Wiki accounts' };
    const { id: wiki } = await createWebhook(api, webhook);
    await query(`UPDATE webhooks SET failing_since = now() - interval '5 hours' WHERE id = $1`, wiki);
    const sync = await service()
      .app.get(TokensService)
      .create(organizationId, {
        name: 'Nightly sync',
        scopes: ['users:read', 'users:write', 'users:delete'],
      });
    const bySync = api.withValue(sync.value);
    await bySync.patch(`/api/v1/users/${radia}`, { email: 'radia@example.com' }).expect(200);
    await bySync.patch(`/api/v1/users/${edsger}`, { role: 'member' }).expect(200);
    await bySync.delete(`/api/v1/users/${alan}`).expect(204);
    await api.patch(`/api/v1/users/${hedy}`, { role: 'admin' }).expect(200);
    await api.get('/api/v1/events?limit=200').expect(200); // numbers them
    await age(organizationId);
    const take = async (state: string) => {
      const path = `docs/dashboard-${state}.png`;
      const screenshot = await page.screenshot({ caret: 'hide' });
      if (process.env.UPDATE_SCREENSHOTS === 'true') writeFileSync(path, screenshot);
      expect(existsSync(path)).toBe(true);
      expect(imagesInReadme).toContain(path);
    };

    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').waitFor();
    await take('sign-in');
    await signIn(page, api.tokenValue);
    await page.locator('.figures').waitFor();
    await shows(page, 'Support desk');
    await page.getByText('changed the role').first().waitFor();
    await take('overview');

    await toSection(page, 'API tokens');
    await shows(page, '8 tokens on this page');
    await take('tokens');
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Name: 'Staging', 'users:read': true });
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await take('new-token');
    await submits(page, 'Done');
    await submits(page, 'I have saved it');

    await toSection(page, 'Users');
    await shows(page, '50 users on this page');
    await page.getByRole('checkbox', { name: 'Select Barbara Liskov' }).click();
    await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).click({ modifiers: ['Shift'] });
    await take('users');
    await page.getByRole('link', { name: 'Hedy Lamarr' }).click();
    await shows(page, 'changed the role');
    await shows(page, 'Inventor');
    await page.setViewportSize({ width: 1280, height: 960 }); // down to what the directory has given
    await page.evaluate('scrollTo(0, 0)');
    await take('user');
    await page.setViewportSize({ width: 1280, height: 760 });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gra');
    await page.getByRole('option', { name: /User Grace Hopper/ }).waitFor();
    await take('palette');
    await page.keyboard.press('Escape');

    await toSection(page, 'Activity');
    await page.getByText('changed the role').first().click();
    await page.getByRole('table').waitFor();
    await take('activity');
  });
});
