const IDLE_MS = 30 * 60_000;
const CHECK_EVERY_MS = 5_000;
const ACTIVITY_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/** The tasks that count as activity while they run. */
let running = 0;

/** Keeps the session open until the returned function is called, because a person waits for a long task. */
export function keepAwake(): () => void {
  running++;
  return () => running--;
}

/** Calls `callback` after 30 minutes without activity. Returns a function that stops the watch. */
export function onIdle(callback: () => void): () => void {
  let activeAt = Date.now();
  const check = () => {
    if (running > 0) activeAt = Date.now();
    if (Date.now() - activeAt >= IDLE_MS) callback();
  };
  const onActivity = () => {
    check(); // timers do not run while the computer sleeps; the first activity must not extend the session
    activeAt = Date.now();
  };

  const timer = setInterval(check, CHECK_EVERY_MS);
  for (const event of ACTIVITY_EVENTS) addEventListener(event, onActivity, { capture: true, passive: true });
  document.addEventListener('visibilitychange', check);
  return () => {
    clearInterval(timer);
    for (const event of ACTIVITY_EVENTS) removeEventListener(event, onActivity, { capture: true });
    document.removeEventListener('visibilitychange', check);
  };
}
