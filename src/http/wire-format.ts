import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Fault } from './fault';

/** The contents of an error response, independent of a request. */
export interface Problem {
  status: number;
  /** Default: the code of the status. */
  code?: string;
  /** The error keyword of SCIM. Default: one that suits the code. */
  scimType?: string;
  /** The error code of OAuth. Default: one that suits the status. */
  oauthError?: string;
  detail: string;
  errors?: Fault[];
  /** The `Retry-After`, in seconds; every 503 has one. */
  retryAfter?: number;
}

/** The format of bodies below a path. */
export interface WireFormat {
  /** The source of changes made through it. */
  source: 'api' | 'scim';
  /** The media types that a request's body may have. */
  bodyTypes: readonly string[];
  /** The media type of an error body. */
  errorType: string;
  errorBody(problem: Problem, requestId: string): string;
}

/** The format of the API: JSON, and the problems of RFC 9457. */
export const API_FORMAT: WireFormat = {
  source: 'api',
  bodyTypes: ['application/json'],
  errorType: 'application/problem+json',
  errorBody: ({ status, code, detail, errors }, requestId) =>
    JSON.stringify({
      title: STATUS_CODES[status],
      status,
      code: code ?? CODES[status] ?? 'internal_error',
      detail,
      requestId,
      errors,
    }),
};

const CODES: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  422: 'idempotency_mismatch',
  428: 'precondition_required',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
};

/** The media type of everything below `/scim` (RFC 7644, section 3.1). */
export const SCIM_TYPE = 'application/scim+json';

/** SCIM, whose error body has no place for a list of faults. */
const SCIM_FORMAT: WireFormat = {
  source: 'scim',
  bodyTypes: [SCIM_TYPE, 'application/json'],
  errorType: SCIM_TYPE,
  errorBody: (problem) =>
    JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(problem.status),
      scimType: scimTypeOf(problem),
      detail: detailOf(problem),
    }),
};

const MAX_SHOWN = 5;

const detailOf = ({ detail, errors = [] }: Problem) =>
  [detail, ...errors.slice(0, MAX_SHOWN).map(({ field, message }) => `${field} ${message}.`)].join(' ');

/** Errors from outside `scim/` have no `scimType` of their own. */
function scimTypeOf({ status, code, scimType, errors }: Problem): string | undefined {
  if (status === 400 && errors?.[0]?.field === 'cursor') return 'invalidCursor'; // RFC 9865
  if (status === 400) return scimType ?? (code === 'validation_failed' ? 'invalidValue' : 'invalidSyntax');
  if (status === 409)
    return scimType ?? (errors?.some((fault) => fault.code === 'taken') ? 'uniqueness' : undefined);
  return undefined;
}

/** The error codes of RFC 6749, section 5.2, and RFC 8628, section 3.5, by the status of a failure without one. */
const OAUTH_CODES: Record<number, string> = {
  401: 'invalid_client',
  429: 'slow_down',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** OAuth, whose descriptions are ASCII without quotes and backslashes. */
const OAUTH_FORMAT: WireFormat = {
  source: 'api',
  bodyTypes: ['application/x-www-form-urlencoded'],
  errorType: 'application/json',
  errorBody: (problem) =>
    JSON.stringify({
      error: problem.oauthError ?? OAUTH_CODES[problem.status] ?? 'invalid_request',
      error_description: detailOf(problem).replace(/[^ -~]|["\\]/g, '?'),
    }),
};

/** A host that mounts the service has removed its prefix from the path, but no authority from an absolute target. */
const BELOW_SCIM = /^(?:\w+:\/\/[^/?]*)?\/(?:api\/)?scim(?=[/?]|$)/;
const TOKEN_ENDPOINT = /^(?:\w+:\/\/[^/?]*)?\/(?:api\/)?oauth\/token(?=\?|$)/;

/** The format for the request's path, known before the route is. */
export function formatOf({ url = '' }: Pick<IncomingMessage, 'url'>): WireFormat {
  if (BELOW_SCIM.test(url)) return SCIM_FORMAT;
  return TOKEN_ENDPOINT.test(url) ? OAUTH_FORMAT : API_FORMAT;
}
