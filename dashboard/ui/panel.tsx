import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  title: string;
  /** Shown at the end of the heading. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page with a heading. */
export function Panel({ title, aside, children }: Props) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
