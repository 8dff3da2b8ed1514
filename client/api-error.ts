import type { OAuthError, Problem } from './types.ts';

/** What is wrong with one field. */
export type FieldFault = NonNullable<Problem['errors']>[number];

/**
 * A failed call. Its message names the first invalid field, if there is one. If there was no response, `status` is 0
 * and `code` is `unreachable`. If the response did not come from the service, for example from a gateway, `code` is
 * `unexpected`. If the service refused the client's credentials, `code` is one of OAuth 2.0, such as `invalid_client`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Problem['code'] | OAuthError['error'] | 'unreachable' | 'unexpected';
  /** The invalid fields of a 400 or 409; empty for any other failure. */
  readonly errors: FieldFault[];
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before trying again, if the service sent `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    fields: Pick<ApiError, 'status' | 'code' | 'requestId' | 'retryAfter'> & { errors?: FieldFault[] },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = fields.status;
    this.code = fields.code;
    this.errors = fields.errors ?? [];
    this.requestId = fields.requestId;
    this.retryAfter = fields.retryAfter;
  }
}

/** The error of a response that failed or has no JSON. `sentId` is the request id if the response has none. */
export function failed(response: Response, body: unknown, sentId: string | undefined): ApiError {
  const problem = asProblem(body);
  return new ApiError(
    problem ? messageOf(problem) : `Unexpected response: ${response.status} ${response.statusText}.`,
    {
      status: response.status,
      code: problem?.code ?? 'unexpected',
      errors: problem?.errors,
      requestId: response.headers.get('X-Request-ID') ?? sentId,
      retryAfter: retryAfterOf(response),
    },
  );
}

/** The error of an exchange of credentials that failed, or whose response has no token. */
export function notExchanged(response: Response, body: unknown): ApiError {
  const { error, error_description: description } = (body ?? {}) as Partial<OAuthError>;
  const isRefusal = typeof error === 'string' && typeof description === 'string';
  return new ApiError(
    isRefusal
      ? description
      : `Unexpected response to the exchange of the credentials: ${response.status} ${response.statusText}.`,
    {
      status: response.status,
      code: isRefusal ? error : 'unexpected',
      requestId: response.headers.get('X-Request-ID') ?? undefined,
      retryAfter: retryAfterOf(response),
    },
  );
}

function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get('Retry-After') ?? NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** The error of a call without a response. `reason` is what fetch() threw. */
export function unreachable(reason: unknown, timedOut: boolean, requestId: string | undefined): ApiError {
  const { code, message } = networkErrorOf(reason) ?? {};
  const why = code ?? message;
  return new ApiError(
    timedOut
      ? 'The service did not respond in time.'
      : `The service could not be reached${why ? ` (${why})` : ''}.`,
    { status: 0, code: 'unreachable', requestId, retryAfter: undefined },
    { cause: reason },
  );
}

/** The error of a call that could not be sent, because there was no token in time. */
export const unavailableToken = (): ApiError =>
  new ApiError('There was no token in time.', {
    status: 0,
    code: 'unreachable',
    requestId: undefined,
    retryAfter: undefined,
  });

/** Whether the call may succeed if it is repeated. */
export function isTransient({ status, code, cause }: ApiError): boolean {
  if (status !== 0) return PASSING_STATUSES.includes(status) || code === 'idempotency_in_progress';
  const networkError = networkErrorOf(cause);
  return networkError === undefined || PASSING.test(networkError.code ?? '');
}

/** The rate limit, and outages of the service or a gateway in front of it. */
const PASSING_STATUSES = [429, 502, 503, 504];

/** System errors, such as ECONNREFUSED, and broken connections; not, for example, unknown hosts and certificates. */
const PASSING = /^(E(?!NOTFOUND|PROTO|RR_)|UND_ERR_(SOCKET|INFO|\w+_TIMEOUT)$)/;

/** Node.js gives the reason as the cause of what fetch() throws; browsers do not give one. */
const networkErrorOf = (thrown: unknown) =>
  (thrown as { cause?: { code?: string; message?: string } } | undefined)?.cause;

function messageOf({ detail, errors: [first, ...more] = [] }: Problem): string {
  if (!first) return detail;
  return `${first.field} ${first.message}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
}

function asProblem(body: unknown): Problem | undefined {
  const { code, detail } = (body ?? {}) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as Problem) : undefined;
}
