import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';

interface Props {
  error: unknown;
  onRetry?(): void;
}

/** A failure that belongs to no field, in words, with what can be done about it. */
export function Failure({ error, onRetry }: Props) {
  const tooMany = error instanceof ApiError && error.status === 429;
  return (
    <div role="alert">
      {tooMany && <TooMany key={error} error={error} onRetry={onRetry} />}
      {!tooMany && error !== undefined && (
        <div class="banner danger">
          <p>{error instanceof Error ? error.message : 'Something went wrong.'}</p>
          <Details error={error} />
          {onRetry && (
            <button type="button" onClick={onRetry}>
              Try again
            </button>
          )}
        </div>
      )}
    </div>
  );
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

/** How long a window lasts, should nobody say how much of it is left. */
const LONGEST_S = 60;

/** The limit is used up: when it resets, and how long that is. A screen reader is told once, not every second. */
function TooMany({ error, onRetry }: { error: ApiError; onRetry?(): void }) {
  const [resetsAt] = useState(() => Date.now() + Math.max(error.retryAfter ?? LONGEST_S, 1) * 1000);
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
        Too many requests: the limit of the token is used up. It resets at {timeOfDay.format(resetsAt)}
        <span aria-hidden="true">{seconds > 0 ? `, in ${seconds} s` : ', that is now'}</span>.
      </p>
      {onRetry && <p class="small">The page then tries again.</p>}
    </div>
  );
}

const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
