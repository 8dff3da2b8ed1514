/**
 * @slow it starts a host application
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { OrganizationsService, TokensService, UserManagementModule } from '../../src';
import { type Host, startHost } from '../support/host';

let host: Host;
beforeAll(async () => {
  host = await startHost([
    UserManagementModule.forRoot({
      schema: 'ums',
      background: false,
      dashboard: {
        // The host's own session would be here, as its middleware leaves it.
        signIn: async ({ headers }) => JSON.parse(String(headers['x-person'] ?? 'null')),
      },
    }),
  ]);
});
afterAll(() => host.close());

const session = (person: object | null, headers: Record<string, string> = { Origin: host.url }) =>
  fetch(`${host.url}/backend/dashboard/session`, {
    method: 'POST',
    headers: { ...(person && { 'X-Person': JSON.stringify(person) }), ...headers },
  });

const newOrganization = async () => (await host.app.get(OrganizationsService).create('Acme')).id;

it('opens the dashboard for a person whom the host has recognized', async () => {
  const organizationId = await newOrganization();
  const person = { organizationId, name: 'Ada Lovelace', subject: '42', scopes: ['users:read'] };
  const response = await session(person);
  expect(response.status).toBe(201);
  const { token, id, ...record } = (await response.json()) as Record<string, string>;
  expect(record).toMatchObject({
    name: 'Ada Lovelace',
    scopes: ['users:read'],
    expiresIn: null,
    createdBy: { issuer: 'application', subject: '42', name: 'Ada Lovelace' },
    signOutUrl: null,
  });
  expect((await host.app.get(TokensService).get(organizationId, id)).state).toBe('active');
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${host.url}/backend/api/v1/users`, { headers })).status).toBe(200);
});

it('gives admin, and takes the name for the subject, unless the host says otherwise', async () => {
  const response = await session({ organizationId: await newOrganization(), name: 'Ada' });
  expect(await response.json()).toMatchObject({ scopes: ['admin'], createdBy: { subject: 'Ada' } });
});

it('opens it for nobody of a suspended organization', async () => {
  const organizationId = await newOrganization();
  const person = { organizationId, name: 'Ada' };
  const { token } = (await (await session(person)).json()) as Record<string, string>;
  await host.app.get(OrganizationsService).suspend(organizationId);
  const refused = await session(person);
  expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'organization_suspended' }]);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${host.url}/backend/api/v1/users`, { headers })).status).toBe(403);
  await host.app.get(OrganizationsService).resume(organizationId);
  expect((await session(person)).status).toBe(201);
});

it('opens it for nobody else, and for no page of another origin', async () => {
  expect((await session(null)).status).toBe(401);
  const person = { organizationId: await newOrganization(), name: 'Ada' };
  for (const headers of [{}, { Origin: 'https://host.example' }, { Origin: 'null' }])
    expect((await session(person, headers as Record<string, string>)).status).toBe(403);
});

it('fails on anything else that the function returns', async () => {
  expect((await session({ organizationId: 'acme', name: 'Ada' })).status).toBe(500);
  const organizationId = await newOrganization();
  expect((await session({ organizationId })).status).toBe(500);
  for (const subject of ['a\u0000', '', 'x'.repeat(256), 1])
    expect((await session({ organizationId, name: 'Ada', subject })).status).toBe(500);
});

it('tells the page, and has no attempts at an issuer', async () => {
  const page = await (await fetch(`${host.url}/backend/dashboard`)).text();
  expect(page).toContain('name="sign-in"');
  expect(page).not.toContain('name="docs"'); // a host has no API reference
  const state = await fetch(`${host.url}/backend/dashboard/session`);
  expect(await state.json()).toEqual({ issuer: null, available: true, url: null, signedIn: false });
  for (const path of ['sign-in', 'callback'])
    expect((await fetch(`${host.url}/backend/dashboard/${path}`)).status).toBe(404);
});
