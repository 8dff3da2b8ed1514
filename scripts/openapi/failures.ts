import { STATUS_CODES } from 'node:http';

interface Example {
  /** Default: the code of the failure. */
  code?: string;
  detail: string;
  errors?: { field: string; code: string; message: string }[];
}

interface Failure {
  code: string;
  description: string;
  examples: Record<string, Example>;
  headers?: string[];
}

/** Every error that an operation can return, with examples of each. */
export const FAILURES: Record<number, Failure> = {
  400: {
    code: 'validation_failed',
    description: 'The request is invalid. `errors` names every fault; nothing was changed.',
    examples: {
      field: {
        detail: '1 field is invalid.',
        errors: [{ field: 'email', code: 'invalid', message: 'must be an email address' }],
      },
      parameter: {
        detail: '1 field is invalid.',
        errors: [{ field: 'page', code: 'unknown', message: 'is not a known query parameter' }],
      },
      json: {
        code: 'malformed_json',
        detail: 'The request body is not valid JSON.',
        errors: [{ field: 'body', code: 'invalid', message: 'must be JSON in UTF-8' }],
      },
    },
  },
  401: {
    code: 'unauthorized',
    description: 'The token is missing, unknown, expired or revoked.',
    examples: {
      missing: { detail: 'Send a token: Authorization: Bearer <token>.' },
      invalid: { detail: 'The token is not valid: unknown, expired or revoked.' },
    },
    headers: ['WWW-Authenticate'],
  },
  403: {
    code: 'insufficient_scope',
    description: 'The token lacks the scope that the operation requires.',
    examples: { scope: { detail: 'The token lacks the scope users:write.' } },
    headers: ['WWW-Authenticate'],
  },
  404: {
    code: 'not_found',
    description: 'Nothing in the organization has this id.',
    examples: {
      user: { detail: 'There is no such user.' },
      deletedUser: { detail: 'There is no such deleted user.' },
      token: { detail: 'There is no such token.' },
      event: { detail: 'There is no such event.' },
    },
  },
  409: {
    code: 'conflict',
    description: 'The change conflicts with other data.',
    examples: {
      taken: {
        detail: 'The email is already used by another user of the organization.',
        errors: [
          { field: 'email', code: 'taken', message: 'is already used by another user of the organization' },
        ],
      },
      ended: { detail: 'Only an active token can be rotated; this one is revoked.' },
      inProgress: {
        code: 'idempotency_in_progress',
        detail: 'A request with this Idempotency-Key is still in progress. Try again.',
      },
      referenced: {
        detail: 'The user cannot be deleted, because a table of the application still refers to it.',
      },
    },
  },
  412: {
    code: 'precondition_failed',
    description:
      'The user has another version than `If-Match` or `If-None-Match` asks for. Nothing was changed.',
    examples: { version: { detail: 'The user has another version.' } },
  },
  413: {
    code: 'payload_too_large',
    description: 'The request body is larger than 64 KB, or 1 MB for a batch.',
    examples: {
      body: { detail: 'The request body must not exceed 64 KB.' },
      batch: { detail: 'The request body must not exceed 1 MB.' },
    },
  },
  415: {
    code: 'unsupported_media_type',
    description: 'The request body is not `application/json` in UTF-8, or it is compressed.',
    examples: {
      body: { detail: 'The body must be application/json in UTF-8, without a Content-Encoding.' },
    },
  },
  428: {
    code: 'precondition_required',
    description: 'The service is configured to require `If-Match`.',
    examples: {
      version: { detail: 'Send If-Match with the ETag of the user, so that no other change is overwritten.' },
    },
  },
  422: {
    code: 'idempotency_mismatch',
    description: 'The `Idempotency-Key` was used for another request in the last 24 hours.',
    examples: { key: { detail: 'The Idempotency-Key has been used for another request. Use a new one.' } },
  },
  429: {
    code: 'rate_limited',
    description:
      'The token has used up its requests of this window, or the address its reports. `Retry-After` says when the next one opens.',
    examples: {
      limit: { detail: 'Rate limit exceeded: 1000 requests per 60 s. Retry in 17 s.' },
      reports: { detail: 'Too many reports from this address. Retry in 1800 s.' },
    },
    headers: ['Retry-After'],
  },
  500: {
    code: 'internal_error',
    description: 'The service failed. Its log has the cause under the request id.',
    examples: { bug: { detail: 'Internal error. Contact the operators with this request id.' } },
  },
  503: {
    code: 'unavailable',
    description: 'The database is unreachable or overloaded. Try again after `Retry-After`.',
    examples: { database: { detail: 'The database is unreachable or overloaded. Try again.' } },
    headers: ['Retry-After'],
  },
};

/** The error bodies that a status can have, as media type examples. */
export const examplesOf = (status: number) =>
  Object.fromEntries(
    Object.entries(FAILURES[status].examples).map(([name, { code, detail, errors }]) => [
      name,
      {
        value: {
          title: STATUS_CODES[status],
          status,
          code: code ?? FAILURES[status].code,
          detail,
          requestId: '3a5101a9-3992-49b0-9ed3-81ebaca42682',
          ...(errors && { errors }),
        },
      },
    ]),
  );
