import { useEffect, useState } from 'preact/hooks';
import { useSession } from './session.ts';
import { useStore } from './store.ts';

/** The remaining requests of the token in use. */
export function RateLimitMeter() {
  const rateLimit = useStore(useSession().rateLimit);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!rateLimit) return;
    setIsOver(false);
    const timer = setTimeout(() => setIsOver(true), rateLimit.resetsAt - Date.now());
    return () => clearTimeout(timer);
  }, [rateLimit]);
  if (!rateLimit) return null;

  const { limit, resetsAt } = rateLimit;
  const remaining = isOver ? limit : rateLimit.remaining;
  const resets = isOver
    ? 'A new window starts with the next request'
    : `Resets at ${timeOfDay.format(resetsAt)}`;
  return (
    <span class="limit" title={resets}>
      <span class="unseen">Rate limit: </span>
      <b>{count.format(remaining)}</b> of {count.format(limit)} <i>requests</i> left
    </span>
  );
}

const count = new Intl.NumberFormat('en');
const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });
