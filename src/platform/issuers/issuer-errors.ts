/** An error of the library, whose cause is an error of `fetch` or of a signature, or the response itself. */
interface Cause {
  name?: string;
  message?: string;
  stack?: string;
  status?: number;
  cause?: unknown;
}

/** The error, its cause, and so on. */
const causesOf = (error: unknown, most = 5): Cause[] =>
  typeof error === 'object' && error !== null && most > 0
    ? [error, ...causesOf((error as Cause).cause, most - 1)]
    : [];

/** The messages of errors, which may be logged. Their other properties hold the values that were checked. */
export const reasonsOf = (error: unknown): string[] =>
  causesOf(error).flatMap(({ message, stack }) =>
    message !== undefined && stack !== undefined ? message : [],
  );

/** Whether the issuer could not be reached, was too slow, or has failed itself. */
export const isUnavailable = (error: unknown): boolean =>
  causesOf(error).some(
    // `fetch` throws a TypeError, or a DOMException when its time is over.
    ({ name, message, status = 0 }) => message === 'fetch failed' || name === 'TimeoutError' || status >= 500,
  );
