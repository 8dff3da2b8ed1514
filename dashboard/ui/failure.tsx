import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { formatTime } from './format.ts';

interface Props {
  error: unknown;
  onRetry?(): void;
  onDismiss?(): void;
}

/** An error that does not belong to a field, with a way to retry. */
export function Failure({ error, onRetry, onDismiss }: Props) {
  const isRateLimited = error instanceof ApiError && error.status === 429;
  return (
    <div role="alert">
      {isRateLimited && <RateLimited key={error} error={error} onRetry={onRetry} />}
      {!isRateLimited && error !== undefined && (
        <div class="banner danger">
          <p>{summaryOf(error)}</p>
          <Details error={error} />
          {onRetry && (
            <button type="button" onClick={onRetry}>
              Try again
            </button>
          )}
          {onDismiss && (
            <button type="button" onClick={onDismiss}>
              Dismiss
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function summaryOf(error: unknown): string {
  if (error instanceof ApiError && error.errors.length > 0) return 'The service rejected the request:';
  return error instanceof Error ? error.message : 'Something went wrong.';
}

function Details({ error }: { error: unknown }) {
  if (!(error instanceof ApiError)) return null;
  return (
    <>
      {error.errors.length > 0 && (
        <ul>
          {error.errors.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {error.requestId && (
        <p class="small">
          Request id: <code>{error.requestId}</code>
        </p>
      )}
    </>
  );
}

/** The length of a rate limit window, used if the response has no Retry-After. */
const WINDOW_S = 60;

/** Counts down to the reset of the rate limit. Screen readers skip the seconds, which would interrupt them. */
function RateLimited({ error, onRetry }: { error: ApiError; onRetry?(): void }) {
  const [resetsAt] = useState(() => Date.now() + Math.max(error.retryAfter ?? WINDOW_S, 1) * 1000);
  const [now, setNow] = useState(Date.now);
  const seconds = Math.max(0, Math.ceil((resetsAt - now) / 1000));
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (seconds === 0) onRetry?.();
  }, [seconds === 0]);

  return (
    <div class="banner warning">
      <p>
        Too many requests: the token's rate limit is used up. It resets at {formatTime(resetsAt)}
        <span aria-hidden="true">{seconds > 0 ? `, in ${seconds} s` : ', now'}</span>.
      </p>
      {onRetry && <p class="small">Retrying automatically.</p>}
    </div>
  );
}
