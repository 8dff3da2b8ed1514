import { randomBytes } from 'node:crypto';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { OperatorModule } from '../../src/operator/operator.module';
import { accessOf, type Scope } from '../../src/platform/http/scopes';
import { type Route, routesOf } from '../../src/platform/http/method-not-allowed';
import { FEATURES } from '../../src/service.module';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { WebhookDeliveryModule } from '../../src/webhooks/webhooks.module';
import type { Client } from './client';
import { useService } from './service';

const WEBHOOK_ENCRYPTION_KEY = randomBytes(32).toString('base64');

/** Nobody answers there. The routes exist all the same. */
const SIGN_IN = {
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'dashboard',
  PUBLIC_URL: 'http://127.0.0.1:9',
};

/** It looks like a token of an organization, so that its look-up is tried, too. */
export const OPERATOR_TOKEN = newTokenValue();

/** Starts a service that has every route. */
export const useEveryRoute = () => useService({ WEBHOOK_ENCRYPTION_KEY, OPERATOR_TOKEN, ...SIGN_IN });

const controllersOf = (modules: readonly Function[]): Function[] =>
  modules.flatMap((module) => Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) ?? []);

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'all';
const namesOf = ({ method, path }: Route) => ({ method: method.toLowerCase() as Method, path });

/** The routes for tokens of organizations. */
export const routes = [...routesOf(controllersOf([...FEATURES, WebhookDeliveryModule]))]
  .map((route) => ({ ...namesOf(route), access: accessOf(route.handler, route.controller) }))
  .flatMap(({ access, ...route }) =>
    typeof access === 'string' ? [] : [{ ...route, scopes: access as Scope[] }],
  );

/** The routes for the operator's token. */
export const operatorRoutes = [...routesOf(controllersOf([OperatorModule]))].map(namesOf);

/** A method that a route serves. */
export const served = (method: Method) => (method === 'all' ? 'put' : method);

/** The error body at a path. */
export const failure = (path: string, status: number, code: string) =>
  path.includes('/scim/') ? { status: String(status) } : { status, code };

/** An id of each kind that nothing has. */
export const UNKNOWN = {
  usr: 'usr_00000000000000000000000000',
  deleted: 'usr_00000000000000000000000000',
  grp: 'grp_00000000000000000000000000',
  tok: 'tok_00000000000000000000000000',
  evt: 'evt_00000000000000000000000000',
  whk: 'whk_00000000000000000000000000',
  org: 'org_00000000000000000000000000',
};
export type Kind = keyof typeof UNKNOWN;

/** The kind of thing that `:id` in a path is about. */
export const kindOf = (path: string): Kind => {
  if (path.includes('organizations')) return 'org';
  if (path.includes('webhooks')) return 'whk';
  if (path.includes('tokens')) return 'tok';
  if (path.includes('deleted-users')) return 'deleted';
  if (/groups/i.test(path)) return 'grp';
  if (path.includes('events')) return 'evt';
  if (/users/i.test(path)) return 'usr';
  throw new Error(`test/support/routes.ts: UNKNOWN, kindOf() and RESOURCES lack the things at ${path}.`);
};
export const withUnknownId = (path: string) =>
  withId(
    path.replace(':tokenId', UNKNOWN.tok).replace(/:(name|urn)\b/, 'Nothing'),
    path.includes(':id') ? UNKNOWN[kindOf(path)] : '',
  );

/** The path about this thing. Throws if it has a parameter for another thing, too, which no test would try. */
export function withId(path: string, id: string): string {
  const [left] = /:(?!id\b)\w+/.exec(path) ?? [];
  if (left) throw new Error(`test/support/routes.ts: withId() does not know what ${left} of ${path} is.`);
  return path.replace(':id', () => id);
}

/** A thing of an organization: the path that shows it, and a part of what it shows if nobody has changed it. */
interface Resource {
  id: string;
  ownPath: string;
  unchanged: object;
}

/** Creates one thing of each kind that tokens of organizations reach. */
export const RESOURCES: Record<Exclude<Kind, 'org'>, (client: Client) => Promise<Resource>> = {
  usr: async (client) => {
    const { id } = await client.createUser();
    return { id, ownPath: `/api/v1/users/${id}`, unchanged: { name: 'Ada Lovelace' } };
  },
  deleted: async (client) => {
    const { id } = await client.createUser();
    await client.delete(`/api/v1/users/${id}`).expect(204);
    const unchanged = { name: 'Ada Lovelace', version: 1 };
    return { id, ownPath: `/api/v1/deleted-users/${id}`, unchanged };
  },
  grp: async (client) => {
    const user = await client.createUser();
    const body = { displayName: 'Sales', members: [{ value: user.id }] };
    const { id } = (await client.post('/scim/v2/Groups', body).expect(201)).body;
    return { id, ownPath: `/api/v1/groups/${id}`, unchanged: { displayName: 'Sales', memberCount: 1 } };
  },
  tok: async (client) => ({
    id: client.tokenId,
    ownPath: '/v1/tokens/current',
    unchanged: { state: 'active' },
  }),
  evt: async (client) => {
    const user = await client.createUser();
    const { id } = (await client.get('/api/v1/events').expect(200)).body.data.at(-1);
    return { id, ownPath: `/api/v1/events/${id}`, unchanged: { target: { type: 'user', id: user.id } } };
  },
  whk: async (client) => {
    const url = 'https://example.com/hook';
    const { body } = await client.post('/api/v1/webhooks', { url, types: ['*'] }).expect(201);
    const { id, updatedAt } = body;
    return { id, ownPath: `/api/v1/webhooks/${id}`, unchanged: { url, updatedAt } };
  },
};

/** Creates the thing that this path with `:id` is about. */
export const resourceAt = (client: Client, path: string): Promise<Resource> =>
  RESOURCES[kindOf(path) as Exclude<Kind, 'org'>](client);
