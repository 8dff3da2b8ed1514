import { declareFormat, detailWithFaults, type WireFormat } from '../platform/http/wire-format';

/** The error codes of RFC 6749, section 5.2, and RFC 8628, section 3.5, by the status of a failure without one. */
const CODES: Record<number, string> = {
  401: 'invalid_client',
  429: 'slow_down',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** The format of the token endpoint, whose descriptions are ASCII without quotes and backslashes. */
export const OAUTH_FORMAT: WireFormat = {
  source: 'api',
  bodyTypes: ['application/x-www-form-urlencoded'],
  errorType: 'application/json',
  errorBody: (problem) =>
    JSON.stringify({
      error: problem.keyword ?? CODES[problem.status] ?? 'invalid_request',
      error_description: detailWithFaults(problem).replace(/[^ -~]|["\\]/g, '?'),
    }),
};

declareFormat('oauth/token(?=\\?|$)', OAUTH_FORMAT);
