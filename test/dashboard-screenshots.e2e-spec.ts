import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { TokensService } from '../src';
import { describeInBrowser } from './support/browser';
import type { Client } from './support/client';
import { dialogButton, signIn, toUsers, useDashboard } from './support/dashboard';

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
  const { service, open } = useDashboard();

  async function seed(api: Client) {
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
    for (const [name, role, metadata] of PEOPLE) {
      const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
      await api.createUser({ name, email, role, metadata });
    }
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
    const { page } = await open({ viewport: { width: 1280, height: 700 } });
    const api = await service().client();
    await seed(api);
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
    await page.getByText('7 tokens on this page').waitFor();
    await take('tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Nightly sync');
    await page.getByRole('checkbox', { name: 'users:read' }).check();
    await dialogButton(page, 'Create token').click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await take('new-token');
    await dialogButton(page, 'Done').click();
    await dialogButton(page, 'I have saved it').click();
    await toUsers(page);
    await page.getByText('8 users on this page').waitFor();
    await take('users');
    const sync = await service()
      .app.get(TokensService)
      .create(api.organizationId, {
        name: 'Nightly sync',
        scopes: ['users:read', 'users:write', 'users:delete'],
      });
    await change(api.withValue(sync.value));
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('changed the role').click();
    await page.getByRole('table').waitFor();
    await take('activity');
  });
});
