/**
 * @only embedded: the requests of the dashboard are those of the API
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { TokensService } from '../../src';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { person } from '../../src/entry/demo/people';
import { GroupsService } from '../../src/groups/groups.service';
import { ScimUsersService } from '../../src/scim/users/scim-users.service';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { dialogButton, signIn, toUsers, useDashboard } from '../support/dashboard';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

const imagesInReadme = [
  ...readFileSync('README.md', 'utf8').matchAll(/\]\((docs\/dashboard-[\w-]+\.png)\)/g),
].map(([, path]) => path);

const PEOPLE = [
  ['Ada Lovelace', 'admin', { team: 'analysis', plan: 'pro' }],
  ['Grace Hopper', 'member', { team: 'compilers', plan: 'pro', seats: 12, beta: true }],
  ['Alan Turing', 'member', { plan: 'free' }],
  ['Katherine Johnson', 'admin', { team: 'orbits' }],
  ['Edsger Dijkstra', 'viewer', {}],
  ['Barbara Liskov', 'member', { team: 'types', plan: 'pro' }],
  ['Margaret Hamilton', 'member', { team: 'flight', plan: 'pro', seats: 3 }],
  ['Radia Perlman', 'viewer', { team: 'bridges' }],
] as const;

describeInBrowser('the dashboard', () => {
  const { service, open } = useDashboard(WEBHOOK_ENV);

  async function seedTokens(api: Client) {
    const tokens = service().app.get(TokensService);
    for (const [name, scopes, expiresIn, usedAgo] of [
      ['CI pipeline', ['users:read'], '365d', '2 hours'],
      ['Contractor (Q4 audit)', ['users:read'], '30d', '12 days'],
      ['Support desk', ['users:read', 'users:write'], '9d', '3 minutes'],
      ['Billing export', ['users:read'], undefined, '1 day'],
      ['HR import', ['users:read', 'users:write', 'users:delete'], '90d', null],
    ] as const) {
      const { token } = await tokens.create(api.organizationId, { name, scopes: [...scopes], expiresIn });
      await service().dataSource.query(
        `UPDATE tokens SET last_used_at = now() - $2::interval WHERE id = $1`,
        [token.id, usedAgo],
      );
      if (name.startsWith('Contractor')) await tokens.revoke(api.organizationId, token.id);
      if (name.startsWith('HR')) await tokens.rotate(api.organizationId, token.id, { overlap: '72h' });
    }
    await service().dataSource.query(`UPDATE tokens SET name = 'Grace (operations)' WHERE id = $1`, [
      api.tokenId,
    ]);
  }

  async function seedUsers(api: Client) {
    const users = Array.from({ length: 240 }, (_, i) => person(i + 1)).map(({ name, email, role }, i) => ({
      name,
      email,
      role,
      active: i % 11 !== 3,
    }));
    await api.post('/api/v1/users/batch', { users }).expect(200);
    const ids: string[] = [];
    for (const [name, role, metadata] of PEOPLE) {
      const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
      ids.push((await api.createUser({ name, email, role, metadata })).id);
    }
    const by = {
      organizationId: api.organizationId,
      actor: { type: 'token', id: api.tokenId, name: 'Directory' },
      source: 'scim',
      requestId: null,
    } as const;
    const { user } = await service().app.get(ScimUsersService, { strict: false }).create(by, {
      userName: 'hedy.lamarr@example.com',
      displayName: 'Hedy Lamarr',
      title: 'Inventor',
      externalId: '00u8f3k2',
    });
    await api
      .patch(`/api/v1/users/${user.id}`, { metadata: { team: 'radio', plan: 'pro', seats: 4 } })
      .expect(200);
    const groups = service().app.get(GroupsService);
    await groups.create(api.organizationId, { displayName: 'Engineering' }, [...ids, user.id]);
    await groups.create(api.organizationId, { displayName: 'On call' }, [ids[1], user.id]);
    return user.id;
  }

  /** Spreads what has just been made over the last weeks. */
  async function age(organizationId: string) {
    const { dataSource } = service();
    await dataSource.query(
      `UPDATE users SET created_at = now() - aged.age, updated_at = now() - aged.age * (1 - (aged.n % 5) * 0.2)
       FROM (SELECT id, n, make_interval(hours => (n * (3 + 2 * sin(n / 9.0)) + 1)::int) AS age
             FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS n FROM users WHERE organization_id = $1) AS numbered) AS aged
       WHERE users.organization_id = $1 AND users.id = aged.id`,
      [organizationId],
    );
    await dataSource.query(
      `UPDATE events SET occurred_at = now() - make_interval(mins => (aged.n * aged.n * 7)::int)
       FROM (SELECT id, least(row_number() OVER (ORDER BY id DESC), 80) AS n FROM events WHERE organization_id = $1) AS aged
       WHERE events.organization_id = $1 AND events.id = aged.id`,
      [organizationId],
    );
  }

  async function change(sync: Client) {
    const [edsger, radia, alan] = await Promise.all(
      ['Edsger', 'Radia', 'Alan'].map(
        async (name) => (await sync.get(`/api/v1/users/search?q=${name}`).expect(200)).body.data[0].id,
      ),
    );
    await sync.patch(`/api/v1/users/${radia}`, { email: 'radia@example.com' }).expect(200);
    await sync.patch(`/api/v1/users/${edsger}`, { role: 'member' }).expect(200);
    await sync.delete(`/api/v1/users/${alan}`).expect(204);
  }

  it('has its screenshots in the README; UPDATE_SCREENSHOTS=true retakes them', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 760 } });
    const { id: organizationId } = await service().app.get(OrganizationsService).create('Analytical Engines');
    const api = await service().client({ organizationId });
    await seedTokens(api);
    const hedy = await seedUsers(api);
    for (const [host, description] of [
      ['crm', 'CRM'],
      ['wiki', 'Wiki accounts'],
    ]) {
      const types = ['user.purged']; // nothing is sent: nobody answers there
      await createWebhook(api, { url: `https://${host}.example.com/hooks/users`, types, description });
    }
    await service().dataSource.query(
      `UPDATE webhooks SET failing_since = now() - interval '5 hours' WHERE organization_id = $1 AND description = 'Wiki accounts'`,
      [organizationId],
    );
    const sync = await service()
      .app.get(TokensService)
      .create(organizationId, {
        name: 'Nightly sync',
        scopes: ['users:read', 'users:write', 'users:delete'],
      });
    await change(api.withValue(sync.value));
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
    await page.getByText('Support desk').waitFor();
    await page.getByText('changed the role').first().waitFor();
    await take('overview');

    await page.getByRole('link', { name: 'API tokens' }).click();
    await page.getByText('8 tokens on this page').waitFor();
    await take('tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Staging');
    await page.getByRole('checkbox', { name: 'users:read' }).check();
    await dialogButton(page, 'Create token').click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await take('new-token');
    await dialogButton(page, 'Done').click();
    await dialogButton(page, 'I have saved it').click();

    await toUsers(page);
    await page.getByText('50 users on this page').waitFor();
    await page.getByRole('checkbox', { name: 'Select Barbara Liskov' }).click();
    await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).click({ modifiers: ['Shift'] });
    await take('users');
    await page.getByRole('link', { name: 'Hedy Lamarr' }).click();
    await page.getByText('changed the role').waitFor();
    await page.getByRole('button', { name: 'Show directory attributes' }).click();
    await page.getByText('Inventor').waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await take('user');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gra');
    await page.getByRole('option', { name: /User Grace Hopper/ }).waitFor();
    await take('palette');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByText('changed the role').first().click();
    await page.getByRole('table').waitFor();
    await take('activity');
  });
});
