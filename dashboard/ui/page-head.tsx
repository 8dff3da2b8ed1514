import type { ComponentChildren } from 'preact';
import { Link } from '../router/link.tsx';

interface Props {
  /** The list that the page belongs to. */
  list: { path: string; title: string };
  /** Beside the link to the list. */
  beside?: ComponentChildren;
  /** Shown before the title. */
  face?: ComponentChildren;
  title: string;
  /** Shown behind the title. */
  marks?: ComponentChildren;
  /** A line below the title. */
  line?: ComponentChildren;
  actions?: ComponentChildren;
}

/** The head of the page of one item. It stays the same element while the item is fetched, so it keeps the focus. */
export const PageHead = ({ list, beside, face, title, marks, line, actions }: Props) => (
  <>
    <div class="trail">
      <Link to={list.path}>{list.title}</Link>
      {beside}
    </div>
    <div class="heading">
      <div class="title">
        {face}
        <h1 tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {marks}
        {line}
      </div>
      {actions}
    </div>
  </>
);
