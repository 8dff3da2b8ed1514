import type { Problem } from './types';

/** A fault of one field. */
export type FieldFault = NonNullable<Problem['errors']>[number];

/**
 * A call that failed. `status` is 0 and `code` is `unreachable` when there was no answer, and `code` is `unexpected` when
 * the answer was not the service's own.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: Problem['code'] | 'unreachable' | 'unexpected';
  /** The faults of the fields, on a 400 and a 409; else empty. */
  readonly errors: FieldFault[];
  /** What the service's log knows the request by. */
  readonly requestId: string | undefined;
  /** Seconds after which to try again, where the service says so. */
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

/** What an answer that is no success says. */
export async function errorOf(response: Response, sentId: string | undefined): Promise<ApiError> {
  const problem = await response.json().then(asProblem, () => undefined);
  const seconds = Number(response.headers.get('Retry-After') ?? NaN);
  return new ApiError(problem?.detail ?? `The answer was ${response.status} ${response.statusText}.`, {
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
