import { useEffect, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { useStore } from '../store.ts';
import { formatCount, formatTime } from '../ui/format.ts';

/** Warns when less than a quarter of the requests of the rate limit are left. */
export function RateLimitMeter() {
  const rateLimit = useStore(useSession().rateLimit);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!rateLimit) return;
    setIsOver(false);
    const timer = setTimeout(() => setIsOver(true), rateLimit.resetsAt - Date.now());
    return () => clearTimeout(timer);
  }, [rateLimit]);
  if (!rateLimit || isOver || rateLimit.remaining >= rateLimit.limit / 4) return null;

  const { limit, remaining, resetsAt } = rateLimit;
  return (
    <span class="limit" title={`Resets at ${formatTime(resetsAt)}`}>
      <b>{formatCount(remaining)}</b> of {formatCount(limit)} requests left
    </span>
  );
}
