import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { OrganizationsService } from 'user-management-service';
import { ApiError, createClient } from 'user-management-service/client';

const require = createRequire(import.meta.url);
const KINDS = {
  CommonJS: () => ({
    ...require('../../../dist/apps/people/app.js'),
    ...require('../../../dist/apps/people/first-token.js'),
    ...require('../../../dist/apps/people/sessions.js'),
    ...require('user-management-service/client'),
  }),
  'ES modules': async () => ({
    ...(await import('../../../dist/esm/app.js')),
    ...(await import('../../../dist/esm/first-token.js')),
    ...(await import('../../../dist/esm/sessions.js')),
    ApiError,
    createClient,
  }),
};

for (const [kind, load] of Object.entries(KINDS)) {
  test(kind, async () => {
    const { createApp, firstToken, sessions, createClient, ApiError } = await load();
    const app = await createApp();
    try {
      await app.listen(0, '127.0.0.1');
      const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
      const token = await firstToken(app);

      const { users } = createClient({ baseUrl: `${url}/backend/internal`, token });
      const ada = await users.create({ name: 'Ada', email: 'ada@example.com', role: 'admin' });
      const names = [];
      for await (const { name } of users.search({ q: 'ada' })) names.push(name);
      assert.deepEqual(names, ['Ada']);
      await assert.rejects(
        users.create({ name: 'Ada', email: 'ADA@example.com' }),
        (error) => error instanceof ApiError && error.code === 'conflict',
      );

      const get = (path, headers) => fetch(`${url}/backend${path}`, { headers });
      const ownUsers = await get('/users');
      assert.equal(ownUsers.status, 200);
      assert.equal(ownUsers.headers.get('x-ratelimit-limit'), '20');
      assert.equal(ownUsers.headers.get('x-request-id'), null);
      const refused = await get('/reports/admins');
      assert.deepEqual([refused.status, await refused.json()], [401, { failed: 401 }]);
      const allowed = await get('/reports/admins', { Authorization: `Bearer ${token}` });
      assert.deepEqual(await allowed.json(), ['Ada']);
      await users.delete(ada.id);

      const post = (path, body) =>
        fetch(`${url}/backend${path}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        });
      const bob = { name: 'Bob', email: 'bob@example.com', externalId: '4711', metadata: { plan: 'pro' } };
      assert.equal((await (await post('/members', bob)).json()).plan, 'pro');
      assert.equal((await post('/members', { ...bob, email: 'bob' })).status, 400);

      const page = await get('/internal/dashboard');
      assert.equal(page.headers.get('cache-control'), 'no-store');
      const [script] = /dashboard\/[\w-]+\.js/.exec(await page.text());
      const asset = await get(`/internal/${script}`);
      assert.equal(asset.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.match(asset.headers.get('cache-control'), /immutable/);

      const [organization] = await app.get(OrganizationsService).list();
      sessions.set('42', { organizationId: organization.id, name: 'Ada Lovelace', scopes: ['users:read'] });
      sessions.set('43', { organizationId: organization.id, name: 'Bob', subject: '4711' });
      const me = (session) => get('/members/me', { Cookie: `session=${session}` });
      assert.equal(await (await me('43')).text(), 'Bob');
      assert.equal((await me('42')).status, 401);
      const open = (session) =>
        fetch(`${url}/backend/internal/dashboard/session`, {
          method: 'POST',
          headers: { Origin: url, Cookie: `session=${session}` },
        });
      assert.equal((await open('41')).status, 401);
      const opened = await (await open('42')).json();
      assert.equal(opened.createdBy.name, 'Ada Lovelace');
      assert.equal(
        (await get('/internal/api/v1/users', { Authorization: `Bearer ${opened.token}` })).status,
        200,
      );
    } finally {
      await app.close();
    }
  });
}
