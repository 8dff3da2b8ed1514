import { STATUS_CODES } from 'node:http';

interface Failure {
  code: string;
  description: string;
  /** The `detail` of the example. */
  detail: string;
  errors?: { field: string; code: string; message: string }[];
  headers?: string[];
}

/** Every error that an operation can return. */
export const FAILURES: Record<number, Failure> = {
  400: {
    code: 'validation_failed',
    description:
      'The request is invalid. `errors` names every fault; nothing was changed. If the body is not JSON, `code` is `malformed_json`.',
    detail: '1 field is invalid.',
    errors: [{ field: 'email', code: 'invalid', message: 'must be an email address' }],
  },
  401: {
    code: 'unauthorized',
    description: 'The token is missing, unknown, expired or revoked.',
    detail: 'The token is not valid: unknown, expired or revoked.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    code: 'insufficient_scope',
    description:
      'The token lacks the scope that the operation requires. Outside of the networks of the token, `code` is `network_not_allowed`; if the organization is suspended, it is `organization_suspended`.',
    detail: 'The token lacks the scope users:write.',
    headers: ['WWW-Authenticate'],
  },
  404: {
    code: 'not_found',
    description: 'Nothing in the organization has this id.',
    detail: 'There is no such user.',
  },
  409: {
    code: 'conflict',
    description:
      'The change conflicts with other data. If a request with the same `Idempotency-Key` is in progress, `code` is `idempotency_in_progress`.',
    detail: 'The email is already used by another user of the organization.',
    errors: [
      { field: 'email', code: 'taken', message: 'is already used by another user of the organization' },
    ],
  },
  412: {
    code: 'precondition_failed',
    description:
      'The user has another version than `If-Match` or `If-None-Match` asks for. Nothing was changed.',
    detail: 'The user has another version.',
  },
  413: {
    code: 'payload_too_large',
    description: 'The request body is larger than 64 KB, or 1 MB for a batch.',
    detail: 'The request body must not exceed 64 KB.',
  },
  415: {
    code: 'unsupported_media_type',
    description: 'The request body is not `application/json` in UTF-8, or it is compressed.',
    detail: 'The body must be application/json in UTF-8, without a Content-Encoding.',
  },
  422: {
    code: 'idempotency_mismatch',
    description: 'The `Idempotency-Key` was used for another request in the last 24 hours.',
    detail: 'The Idempotency-Key has been used for another request. Use a new one.',
  },
  428: {
    code: 'precondition_required',
    description: 'The service is configured to require `If-Match`.',
    detail: 'Send If-Match with the ETag of the user, so that no other change is overwritten.',
  },
  429: {
    code: 'rate_limited',
    description:
      'The token has used all requests of this window, or the address all its reports. `Retry-After` says when the next one opens.',
    detail: 'Rate limit exceeded: 1000 requests per 60 s. Retry in 17 s.',
    headers: ['Retry-After'],
  },
  500: {
    code: 'internal_error',
    description: 'The service failed. Its log has the cause under the request id.',
    detail: 'Internal error. Contact the operators with this request id.',
  },
  503: {
    code: 'unavailable',
    description: 'The database is unreachable or overloaded. Try again after `Retry-After`.',
    detail: 'The database is unreachable or overloaded. Try again.',
    headers: ['Retry-After'],
  },
};

/** A body with this status. */
export const exampleOf = (status: number) => {
  const { code, detail, errors } = FAILURES[status];
  const requestId = '3a5101a9-3992-49b0-9ed3-81ebaca42682';
  return { title: STATUS_CODES[status], status, code, detail, requestId, errors };
};
