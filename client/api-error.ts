import type { Problem } from './types.ts';

/** What is wrong with one field. */
export type FieldFault = NonNullable<Problem['errors']>[number];

/**
 * A failed call. If there was no response, `status` is 0 and `code` is `unreachable`. If the response did not come from
 * the service, for example from a gateway, `code` is `unexpected`.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Problem['code'] | 'unreachable' | 'unexpected';
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

/** Builds the error of an unsuccessful response. `sentId` is the request id if the response has none. */
export async function errorOf(response: Response, sentId: string | undefined): Promise<ApiError> {
  const problem = await response.json().then(asProblem, () => undefined);
  const seconds = Number(response.headers.get('Retry-After') ?? NaN);
  return new ApiError(problem?.detail ?? `Unexpected response: ${response.status} ${response.statusText}.`, {
    status: response.status,
    code: problem?.code ?? 'unexpected',
    errors: problem?.errors,
    requestId: response.headers.get('X-Request-ID') ?? sentId,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function asProblem(body: unknown): Partial<Problem> | undefined {
  const { code, detail } = (body ?? {}) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string' ? (body as Problem) : undefined;
}
