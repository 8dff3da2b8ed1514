import type { CallOptions, OperatorClientOptions } from './options.ts';
import { itemPath } from './paths.ts';
import { Transport } from './transport.ts';
import type {
  CreateOrganization,
  CreateToken,
  ListOrganizationsQuery,
  ListTokensQuery,
  NewToken,
  Organization,
  Token,
  UpdateOrganization,
} from './types.ts';

export type OperatorClient = ReturnType<typeof createOperatorClient>;

/**
 * Creates a client for the operator of the service, who manages organizations. Its token opens all organizations, so it
 * does not belong in a web page. Calls fail as those of `createClient()` do. If the service has no `OPERATOR_TOKEN`,
 * each is a 404.
 */
export function createOperatorClient(options: OperatorClientOptions) {
  if (options.token === undefined || options.credentials !== undefined)
    throw new TypeError(
      'createOperatorClient() requires a token, that in OPERATOR_TOKEN, and no credentials.',
    );
  const transport = new Transport(options);
  const update = (id: string, changes: UpdateOrganization, options?: CallOptions) =>
    transport.send<Organization>(
      { method: 'PATCH', path: itemPath(ORGANIZATIONS, id), body: changes },
      options,
    );

  return {
    organizations: {
      /** Iterates over the organizations, newest first unless `order` is `asc`. Pages are fetched as needed. */
      list: (query?: ListOrganizationsQuery, options?: CallOptions) =>
        transport.list<Organization>(ORGANIZATIONS, query, options),
      /**
       * Creates an organization. Never retried: if the response is lost, the organization may exist. With an
       * `externalId` you can repeat the call: it then fails with `conflict`, and `list({ externalId })` finds the
       * organization.
       */
      create: (organization: CreateOrganization, options?: CallOptions) =>
        transport.send<Organization>({ method: 'POST', path: ORGANIZATIONS, body: organization }, options),
      get: (id: string, options?: CallOptions) =>
        transport.send<Organization>({ method: 'GET', path: itemPath(ORGANIZATIONS, id) }, options),
      /** Changes only the given fields. Never retried: if the response is lost, the change may have been made. */
      update,
      /**
       * Refuses every access with a token of the organization, and sends nothing to its webhooks. Never retried, but
       * repeating it is safe: suspending twice succeeds.
       */
      suspend: (id: string, options?: CallOptions) => update(id, { suspended: true }, options),
      /** Ends the suspension. Never retried, but repeating it is safe: resuming twice succeeds. */
      resume: (id: string, options?: CallOptions) => update(id, { suspended: false }, options),
      /**
       * Deletes an organization with everything in it, for good; fails with `conflict` unless it is suspended. A
       * million users take minutes, so the default timeout of each attempt is 10 minutes; a gateway, or the `fetch` of
       * Node.js after 5 minutes, may end it sooner. The service finishes the deletion all the same; the call is then
       * retried, and succeeds if the organization is gone.
       */
      delete: (id: string, options?: CallOptions) =>
        transport.send<void>(
          { method: 'DELETE', path: itemPath(ORGANIZATIONS, id) },
          { timeoutMs: DELETE_TIMEOUT_MS, ...options },
        ),
    },
    tokens: {
      /** Iterates over the tokens of an organization, newest first. Pages are fetched as needed. */
      list: (organizationId: string, query?: ListTokensQuery, options?: CallOptions) =>
        transport.list<Token>(tokensOf(organizationId), query, options),
      /**
       * Creates a token of an organization, even of a suspended one. Only this call returns its value. Never retried:
       * if the response is lost, the token may exist: find it in the list and revoke it.
       */
      create: (organizationId: string, token: CreateToken, options?: CallOptions) =>
        transport.send<NewToken>({ method: 'POST', path: tokensOf(organizationId), body: token }, options),
      /** Revokes a token of an organization, effective immediately. Revoking it twice succeeds. */
      revoke: (organizationId: string, id: string, options?: CallOptions) =>
        transport.send<void>({ method: 'DELETE', path: itemPath(tokensOf(organizationId), id) }, options),
    },
  };
}

const tokensOf = (organizationId: string) => `${itemPath(ORGANIZATIONS, organizationId)}/tokens`;

// As TOKENS in index.ts: a gateway may forward only /api.
const ORGANIZATIONS = 'api/v1/organizations';

const DELETE_TIMEOUT_MS = 10 * 60_000;
