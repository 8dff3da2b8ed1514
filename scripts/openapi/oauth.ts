import { GRANTS, type TokenField } from '../../src/oauth/grants';
import { OAUTH_ERRORS, type OAuthError } from '../../src/oauth/oauth-failure';
import { OAUTH_FORMAT } from '../../src/oauth/oauth-format';
import { type Scope, SCOPES } from '../../src/platform/http/scopes';
import type { Schema } from './constraints';
import { AUTHENTICATED, COMMON, headerRefs } from './headers';
import type { Operation } from './operation';

/** Relative to the URL of the server, as a gateway may prefix the path. */
const TOKEN_URL = 'oauth/token';

const SCOPE_TEXTS: Record<Scope, string> = {
  'users:read': 'Read users, deleted users, groups and statistics.',
  'users:write': 'Create, change and restore users and groups.',
  'users:delete': 'Delete users and groups.',
  admin: 'Everything, including managing tokens.',
};

/** The scheme of tokens that a client of OAuth 2.0 gets and sends by itself. */
export const OAUTH_SCHEME = {
  type: 'oauth2',
  description:
    'A token of an hour, for the id of an API token as `client_id` and its value as `client_secret`.',
  flows: {
    clientCredentials: {
      tokenUrl: TOKEN_URL,
      scopes: Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_TEXTS[scope]])),
    },
  },
};

const text = (description: string, example: string, more?: Schema): Schema => ({
  type: 'string',
  description,
  ...more,
  examples: [example],
});

const FIELDS: Record<TokenField, Schema> = {
  grant_type: text('What is exchanged: the value of a token, or an assertion.', 'client_credentials', {
    enum: GRANTS.map(({ type }) => type),
  }),
  scope: text(
    'The scopes of the new token, separated by spaces. By default all that the old one has, or that the rules give.',
    'users:read',
  ),
  client_id: text(
    'The id of the token that is exchanged, unless it comes by HTTP Basic.',
    'tok_01kacpb2w5r8y3h6j9m4n7p0qx',
  ),
  client_secret: text(
    'The value of that token, unless it comes by HTTP Basic.',
    'umt_Xv4TqL9nRb2WkYc7HsJd0PzGm5FaEu3M000000',
  ),
  assertion: text(
    'A JWT of an issuer that the operators trust, such as that of a Kubernetes service account or of a pipeline.',
    'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIn0.c2lnbmF0dXJl',
  ),
  organization_id: text(
    'The organization of the new token, if the assertion gives access to several.',
    'org_01kacpb2w5r8y3h6j9m4n7p0qx',
  ),
};

interface Failure {
  description: string;
  detail: string;
  keyword?: OAuthError;
  /** In addition to the common ones. */
  headers?: object;
}

const FAILURES: Record<number, Failure> = {
  400: {
    description:
      'The request is invalid, or the assertion or the scope is refused: `error` says which. A body of another type, or of more than ' +
      '64 KB, is also a 400.',
    detail: 'The scope must name some of users:read, users:write.',
    keyword: 'invalid_scope',
    headers: headerRefs(AUTHENTICATED),
  },
  401: {
    description: 'The `client_id` and the `client_secret` are not those of a valid token.',
    detail:
      'The client_id must be the id of a token, and the client_secret its value: unknown, expired or revoked.',
    headers: {
      'WWW-Authenticate': {
        ...headerRefs(['WWW-Authenticate'])['WWW-Authenticate'],
        description: '`Basic`, if the secret came by HTTP Basic.',
      },
    },
  },
  429: {
    description:
      'The token or the subject has used all requests of this window, or too many requests of the network have failed. `Retry-After` ' +
      'says when the next one opens.',
    detail: 'Rate limit exceeded: 1000 requests per 60 s. Retry in 17 s.',
    headers: headerRefs(['Retry-After', ...AUTHENTICATED]),
  },
  500: {
    description: 'The service failed. Its log has the cause under the request id.',
    detail: 'Internal error. Contact the operators with this request id.',
  },
  503: {
    description:
      'The database or the issuer of the assertion does not answer. Try again after `Retry-After`.',
    detail: 'The database is unreachable or overloaded. Try again.',
    headers: headerRefs(['Retry-After']),
  },
};

const bodyOf = (status: number): { error: string; error_description: string } =>
  JSON.parse(OAUTH_FORMAT.errorBody({ status, ...FAILURES[status] }, ''));

const statuses = Object.keys(FAILURES).map(Number);

export const OAUTH_SCHEMAS: Record<string, Schema> = {
  TokenRequest: {
    type: 'object',
    description: 'A token request of OAuth 2.0. No field may stand twice.',
    properties: FIELDS,
    required: ['grant_type'],
  },
  OAuthError: {
    type: 'object',
    description: 'The body of an error of OAuth 2.0 (RFC 6749).',
    properties: {
      error: text('What failed, for programs.', 'invalid_scope', {
        enum: [...new Set([...OAUTH_ERRORS, ...statuses.map((status) => bodyOf(status).error)])],
      }),
      error_description: text('What failed, for people.', FAILURES[400].detail),
    },
    required: ['error', 'error_description'],
  },
};

const responseOf = (status: number) => ({
  description: FAILURES[status].description,
  headers: { ...headerRefs(COMMON), ...FAILURES[status].headers },
  content: {
    [OAUTH_FORMAT.errorType]: {
      schema: { $ref: '#/components/schemas/OAuthError' },
      example: bodyOf(status),
    },
  },
});

/** Completes the operation with its form, its failures, and the headers of callers that have proved who they are. */
export function describeExchange(operation: Operation): Operation {
  return {
    ...operation,
    requestBody: {
      required: true,
      content: { [OAUTH_FORMAT.bodyTypes[0]]: { schema: { $ref: '#/components/schemas/TokenRequest' } } },
    },
    responses: {
      200: { ...operation.responses[200], headers: headerRefs([...COMMON, ...AUTHENTICATED]) },
      ...Object.fromEntries(statuses.map((status) => [status, responseOf(status)])),
    },
  };
}
