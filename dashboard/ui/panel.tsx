import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Failure } from './failure.tsx';
import type { Resource } from './use-resource.ts';

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

interface FetchedProps<Value> extends Omit<Props, 'children'> {
  resource: Resource<Value>;
  /** Says what was found. */
  textOf(value: Value): string;
  children?(value: Value): ComponentChildren;
}

/** A panel with something that is fetched. */
export function FetchedPanel<Value>({ resource, textOf, children, ...panel }: FetchedProps<Value>) {
  const { value, error, isLoading, reload } = resource;
  const text = value === undefined || error !== undefined ? '' : textOf(value);
  return (
    <Panel {...panel}>
      <Failure error={error} onRetry={reload} />
      {value !== undefined && children?.(value)}
      <p class="quiet" role="status">
        {isLoading ? 'Loading …' : text}
      </p>
    </Panel>
  );
}
