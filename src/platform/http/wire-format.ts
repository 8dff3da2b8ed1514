import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Fault } from './fault';

/** The contents of an error response, independent of a request. */
export interface Problem {
  status: number;
  /** Default: the code of the status. */
  code?: string;
  /** The name of the error in a format that has names of its own. Default: one that suits the status and the code. */
  keyword?: string;
  detail: string;
  errors?: Fault[];
  /** The `Retry-After`, in seconds; every 503 has one. */
  retryAfter?: number;
}

/** The ways to make a change. */
export const SOURCES = ['api', 'scim', 'cli', 'application', 'service', 'sign-in', 'federation'] as const;
export type Source = (typeof SOURCES)[number];

/** The format of bodies below a path. */
export interface WireFormat {
  /** The source of changes made through it. */
  source: Source;
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

const MAX_SHOWN = 5;

/** The detail of a problem, for a format that has no place for a list of faults. */
export const detailWithFaults = ({ detail, errors = [] }: Problem): string =>
  [detail, ...errors.slice(0, MAX_SHOWN).map(({ field, message }) => `${field} ${message}.`)].join(' ');

const others: { paths: RegExp; format: WireFormat }[] = [];

/**
 * Declares the format of a feature beside its controllers: that of the paths that begin like `path`, with or without
 * `/api`. By the path, because a failure may have to be rendered before there is a route, or without one.
 */
export function declareFormat(path: string, format: WireFormat): void {
  // A host that mounts the service has removed its prefix from the path, but no authority from an absolute target.
  others.push({ paths: new RegExp(`^(?:\\w+://[^/?]*)?/(?:api/)?${path}`), format });
}

/** The format for the request's path. */
export const formatOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): WireFormat =>
  others.find(({ paths }) => paths.test(url))?.format ?? API_FORMAT;
