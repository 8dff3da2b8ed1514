import { TokensService } from '../../src';
import { person } from '../../src/entry/demo/people';
import { GroupsService } from '../../src/groups/groups.service';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { ScimUsersService } from '../../src/scim/users/scim-users.service';
import type { Client } from './client';
import type { TestService } from './service';
import { createWebhook } from './webhooks';

const PEOPLE = [
  ['Ada Lovelace', 'admin', { team: 'analysis', plan: 'pro' }],
  ['Grace Hopper', 'member', { team: 'compilers', plan: 'pro', seats: 12, beta: true }],
  ['Alan Turing', 'member', { plan: 'free' }],
  ['Edsger Dijkstra', 'viewer', {}],
  ['Barbara Liskov', 'member', { team: 'types', plan: 'pro' }],
  ['Radia Perlman', 'viewer', { team: 'bridges' }],
] as const;

const TOKENS = [
  ['CI pipeline', ['users:read'], '365d', '2 hours'],
  ['Contractor (Q4 audit)', ['users:read'], '30d', '12 days'],
  ['Support desk', ['users:read', 'users:write'], '9d', '3 minutes'],
  ['Billing export', ['users:read'], undefined, '1 day'],
  ['HR import', ['users:read', 'users:write', 'users:delete'], '90d', null],
] as const;

/** An organization that has been used for weeks, for pictures. */
export interface Showcase {
  api: Client;
  /** The ids of items with much to see. */
  user: string;
  token: string;
  group: string;
  webhook: string;
}

/** Creates the organization “Analytical Engines”. The service needs WEBHOOK_ENV. */
export async function createShowcase(service: TestService): Promise<Showcase> {
  const { id: organizationId } = await service.app.get(OrganizationsService).create('Analytical Engines');
  const api = await service.client({ organizationId });
  const token = await addTokens(service, api);
  const { ids, group } = await addUsers(service, api);
  const [, , alan, edsger, , radia, hedy] = ids;
  const types = ['user.purged']; // nothing is sent: nobody answers there
  const webhook = { url: 'https://wiki.example.com/hooks/users', types, description: 'Wiki accounts' };
  const { id: wiki } = await createWebhook(api, webhook);
  await service.dataSource.query(
    `UPDATE webhooks SET failing_since = now() - interval '5 hours' WHERE id = $1`,
    [wiki],
  );
  const scopes = ['users:read', 'users:write', 'users:delete'];
  const sync = await service.app
    .get(TokensService)
    .create(organizationId, { name: 'Nightly sync', scopes: scopes as ('users:read' | 'users:write')[] });
  const bySync = api.withValue(sync.value);
  await bySync.patch(`/api/v1/users/${radia}`, { email: 'radia@example.com' }).expect(200);
  await bySync.patch(`/api/v1/users/${edsger}`, { role: 'member' }).expect(200);
  await bySync.delete(`/api/v1/users/${alan}`).expect(204);
  await api.patch(`/api/v1/users/${hedy}`, { role: 'admin' }).expect(200);
  await api.get('/api/v1/events?limit=200').expect(200); // numbers them
  await age(service, organizationId);
  return { api, user: hedy, token, group, webhook: wiki };
}

/** Creates tokens, of which one is revoked and one rotated. Returns the id of one that is used. */
async function addTokens({ app, dataSource }: TestService, { organizationId, tokenId }: Client) {
  const tokens = app.get(TokensService);
  const ids: string[] = [];
  for (const [name, scopes, expiresIn, usedAgo] of TOKENS) {
    const { token } = await tokens.create(organizationId, { name, scopes: [...scopes], expiresIn });
    const used = `UPDATE tokens SET last_used_at = now() - $2::interval WHERE id = $1`;
    await dataSource.query(used, [token.id, usedAgo]);
    if (name.startsWith('Contractor')) await tokens.revoke(organizationId, token.id);
    if (name.startsWith('HR')) await tokens.rotate(organizationId, token.id, { overlap: '72h' });
    ids.push(token.id);
  }
  await dataSource.query(`UPDATE tokens SET name = 'Grace (operations)' WHERE id = $1`, [tokenId]);
  return ids[0];
}

/** Creates many users, people in groups, and one whom a directory has given. */
async function addUsers({ app }: TestService, api: Client) {
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
  const { user } = await app.get(ScimUsersService, { strict: false }).create(by, given);
  const metadata = { team: 'radio', plan: 'pro', seats: 4 };
  await api.patch(`/api/v1/users/${user.id}`, { metadata }).expect(200);
  const groups = app.get(GroupsService);
  const { id: group } = await groups.create(organizationId, { displayName: 'Engineering' }, [
    ...ids,
    user.id,
  ]);
  await groups.create(organizationId, { displayName: 'On call' }, [ids[1], user.id]);
  return { ids: [...ids, user.id], group };
}

/** Spreads what has just been made over the last weeks. */
async function age({ dataSource }: TestService, organizationId: string) {
  const latestFirst = async (table: string): Promise<{ id: string }[]> =>
    dataSource.query(`SELECT id FROM ${table} WHERE organization_id = $1 ORDER BY id DESC`, [organizationId]);
  for (const [i, { id }] of (await latestFirst('users')).entries()) {
    const n = i + 1;
    const hours = Math.round(n * (3 + 2 * Math.sin(n / 9)) + 1);
    const ages = `created_at = now() - interval '${hours} hours', updated_at = now() - interval '${hours * (1 - (n % 5) * 0.2)} hours'`;
    await dataSource.query(`UPDATE users SET ${ages} WHERE organization_id = $1 AND id = $2`, [
      organizationId,
      id,
    ]);
  }
  for (const [i, { id }] of (await latestFirst('events')).entries()) {
    const happened = `occurred_at = now() - interval '${Math.min(i + 1, 80) ** 2 * 7} minutes'`;
    await dataSource.query(`UPDATE events SET ${happened} WHERE organization_id = $1 AND id = $2`, [
      organizationId,
      id,
    ]);
  }
}
