const IDLE_MS = 30 * 60_000;
const LOOK_EVERY_MS = 5_000;
const SIGNS_OF_LIFE = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/** Calls back once nobody has done anything for thirty minutes; returns what stops the watch. */
export function onIdle(forget: () => void): () => void {
  let seenAt = Date.now();
  const look = () => {
    if (Date.now() - seenAt >= IDLE_MS) forget();
  };
  const seen = () => {
    look(); // a machine that slept ran no timer, and the first touch must not make up for it
    seenAt = Date.now();
  };

  const timer = setInterval(look, LOOK_EVERY_MS);
  for (const sign of SIGNS_OF_LIFE) addEventListener(sign, seen, { capture: true, passive: true });
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    for (const sign of SIGNS_OF_LIFE) removeEventListener(sign, seen, { capture: true });
    document.removeEventListener('visibilitychange', look);
  };
}
