import type { ComponentChildren } from 'preact';
import { hrefOf } from './address.ts';
import { navigate } from './place.ts';

interface Props {
  /** A path below the dashboard's address. */
  to: string;
  class?: string;
  title?: string;
  /** For one that the Tab key passes over, because another one leads there, too. */
  tabIndex?: -1;
  'aria-current'?: 'page';
  'aria-keyshortcuts'?: string;
  children: ComponentChildren;
}

/** A link inside the dashboard. The browser itself follows it into another tab or window. */
export const Link = ({ to, ...attributes }: Props) => (
  <a
    {...attributes}
    href={hrefOf(to)}
    onClick={(event) => {
      if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      navigate(to);
    }}
  />
);
