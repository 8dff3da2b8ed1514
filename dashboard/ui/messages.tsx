import type { ComponentChildren } from 'preact';

/**
 * Messages about the last action, at the lower edge of the window, so that they move nothing and are visible at any
 * scroll position.
 */
export const Messages = ({ children }: { children: ComponentChildren }) => (
  <div class="messages">{children}</div>
);
