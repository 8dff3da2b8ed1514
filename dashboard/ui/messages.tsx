import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { focusHeading } from './dialog.tsx';
import { Icon } from './icon.tsx';

interface Props {
  /** What was done. */
  notice?: ComponentChildren;
  /** What can be done about it: the notice stays while it is shown. */
  action?: ComponentChildren;
  /** Messages that stay until their cause is gone. */
  children?: ComponentChildren;
}

const SHOWN_MS = 6_000;

/**
 * Messages about the last action, at the lower edge of the window, so that they move nothing and are visible at any
 * scroll position. A notice goes by itself, unless it offers an action.
 */
export const Messages = ({ notice, action, children }: Props) => {
  const [gone, setGone] = useState<ComponentChildren>();
  const isShown = Boolean(notice) && notice !== gone;
  useEffect(() => {
    if (!notice) return setGone(undefined);
    if (!isShown || action) return;
    const timer = setTimeout(() => setGone(notice), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, isShown, Boolean(action)]);
  const dismiss = () => {
    setGone(notice);
    focusHeading();
  };

  return (
    <div class="messages">
      <div class="toast">
        <p class="notice" role="status">
          {isShown && notice}
        </p>
        {isShown && action}
        {isShown && (
          <button type="button" class="plain small" aria-label="Close the message" onClick={dismiss}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {children}
    </div>
  );
};
