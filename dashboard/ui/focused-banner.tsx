import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A warning that takes the focus when it appears, so that nobody misses it. */
export function FocusedBanner({ children }: { children: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => ref.current?.focus(), []); // after the layout effects, in which forms take the focus
  return (
    <div class="banner warning" tabIndex={-1} ref={ref}>
      {children}
    </div>
  );
}
