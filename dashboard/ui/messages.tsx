import type { ComponentChildren } from 'preact';

interface Props {
  /** What was done. */
  notice?: ComponentChildren;
  children?: ComponentChildren;
}

/**
 * Messages about the last action, at the lower edge of the window, so that they move nothing and are visible at any
 * scroll position.
 */
export const Messages = ({ notice, children }: Props) => (
  <div class="messages">
    <p class="notice" role="status">
      {notice}
    </p>
    {children}
  </div>
);
