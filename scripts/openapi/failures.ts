import { STATUS_CODES } from 'node:http';

export interface Failure {
  code: string;
  detail: string;
  headers?: string[];
  errors?: { field: string; code: string; message: string }[];
}

/** Every error that an operation can return, with an example of each. */
export const FAILURES: Record<number, Failure> = {
  400: {
    code: 'validation_failed',
    detail: '1 field is invalid.',
    errors: [{ field: 'email', code: 'invalid', message: 'must be an email address' }],
  },
  401: {
    code: 'unauthorized',
    detail: 'The token is not valid: unknown, expired or revoked.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    code: 'insufficient_scope',
    detail: 'The token lacks the scope users:write.',
    headers: ['WWW-Authenticate'],
  },
  404: { code: 'not_found', detail: 'There is no such user.' },
  409: {
    code: 'conflict',
    detail: 'The email is already used by another user of the organization.',
    errors: [
      { field: 'email', code: 'taken', message: 'is already used by another user of the organization' },
    ],
  },
  413: { code: 'payload_too_large', detail: 'The request body must not exceed 64 KB.' },
  415: {
    code: 'unsupported_media_type',
    detail: 'The body must be application/json in UTF-8, without a Content-Encoding.',
  },
  429: {
    code: 'rate_limited',
    detail: 'Rate limit exceeded: 1000 requests per 60 s. Retry in 17 s.',
    headers: ['Retry-After'],
  },
  500: { code: 'internal_error', detail: 'Internal error. Contact the operators with this request id.' },
  503: {
    code: 'unavailable',
    detail: 'The database is unreachable or overloaded. Try again.',
    headers: ['Retry-After'],
  },
};

export const problemOf = (status: number) => {
  const { code, detail, errors } = FAILURES[status];
  return {
    title: STATUS_CODES[status],
    status,
    code,
    detail,
    requestId: '3a5101a9-3992-49b0-9ed3-81ebaca42682',
    ...(errors && { errors }),
  };
};
