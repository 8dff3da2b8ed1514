import { randomBytes } from 'node:crypto';
import { OrganizationTokensController } from '../../src/operator/organization-tokens.controller';
import { OrganizationsController } from '../../src/operator/organizations.controller';
import { accessOf, type Scope } from '../../src/http/scopes';
import { type Route, routesOf } from '../../src/http/method-not-allowed';
import { EventsController } from '../../src/events/events.controller';
import { GroupsController } from '../../src/groups/groups.controller';
import { DiscoveryController } from '../../src/scim/wire/discovery.controller';
import { UnsupportedController } from '../../src/scim/wire/unsupported.controller';
import { ScimGroupsController } from '../../src/scim/groups/scim-groups.controller';
import { ScimUsersController } from '../../src/scim/users/scim-users.controller';
import { StatisticsController } from '../../src/statistics/statistics.controller';
import { TokensController } from '../../src/tokens/tokens.controller';
import { BatchController } from '../../src/users/batch/batch.controller';
import { DeletedUsersController } from '../../src/users/deleted/deleted-users.controller';
import { UserSearchController } from '../../src/users/search/user-search.controller';
import { UserExportController } from '../../src/user-export/user-export.controller';
import { UsersController } from '../../src/users/users.controller';
import { newTokenValue } from '../../src/tokens/token-value';
import { WebhooksController } from '../../src/webhooks/webhooks.controller';
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

const controllers = [
  UserSearchController,
  BatchController,
  UsersController,
  DeletedUsersController,
  GroupsController,
  TokensController,
  EventsController,
  DiscoveryController,
  UnsupportedController,
  ScimUsersController,
  ScimGroupsController,
  WebhooksController,
  StatisticsController,
  UserExportController,
];
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'all';
const namesOf = ({ method, path }: Route) => ({ method: method.toLowerCase() as Method, path });

/** The routes for tokens of organizations. */
export const routes = [...routesOf(controllers)].map((route) => ({
  ...namesOf(route),
  scopes: accessOf(route.handler, route.controller) as Scope[],
}));

/** The routes for the operator's token. */
export const operatorRoutes = [...routesOf([OrganizationsController, OrganizationTokensController])].map(
  namesOf,
);

/** A method that a route serves. */
export const served = (method: Method) => (method === 'all' ? 'put' : method);

/** The error body at a path. */
export const failure = (path: string, status: number, code: string) =>
  path.includes('/scim/') ? { status: String(status) } : { status, code };

export const UNKNOWN = {
  usr: 'usr_00000000000000000000000000',
  deleted: 'usr_00000000000000000000000000',
  grp: 'grp_00000000000000000000000000',
  tok: 'tok_00000000000000000000000000',
  evt: 'evt_00000000000000000000000000',
  whk: 'whk_00000000000000000000000000',
  org: 'org_00000000000000000000000000',
};
export const kindOf = (path: string) => {
  if (path.includes('organizations')) return 'org';
  if (path.includes('webhooks')) return 'whk';
  if (path.includes('tokens')) return 'tok';
  if (path.includes('deleted-users')) return 'deleted';
  if (/groups/i.test(path)) return 'grp';
  if (path.includes('events')) return 'evt';
  if (/users/i.test(path)) return 'usr';
  throw new Error(`UNKNOWN has no id for ${path}.`);
};
export const withUnknownId = (path: string) =>
  path.replace(':id', () => UNKNOWN[kindOf(path)]).replace(':tokenId', UNKNOWN.tok);
