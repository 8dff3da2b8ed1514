import type { ComponentChildren } from 'preact';
import { Link } from '../router/link.tsx';

interface Props {
  /** The list that the page belongs to. */
  list: { path: string; title: string };
  title: string;
  /** Shown behind the title. */
  marks?: ComponentChildren;
  actions?: ComponentChildren;
}

/** The head of the page of one item. It stays the same element while the item is fetched, so it keeps the focus. */
export const PageHead = ({ list, title, marks, actions }: Props) => (
  <>
    <p class="trail">
      <Link to={list.path}>{list.title}</Link>
    </p>
    <div class="heading">
      <div class="title">
        <h1 tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {marks}
      </div>
      {actions}
    </div>
  </>
);
