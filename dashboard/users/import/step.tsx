import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';

interface Props {
  number: number;
  title: string;
  state: 'done' | 'open' | 'ahead';
  /** Whether the focus moves to its heading when it opens. */
  takesFocus: boolean;
  children?: ComponentChildren;
}

/** A step of the import. One that lies ahead has a heading only. */
export function Step({ number, title, state, takesFocus, children }: Props) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus && state === 'open') heading.current!.focus();
  }, [state]);
  return (
    <section class={`step ${state}`} aria-labelledby={id}>
      <span class="number" aria-hidden="true">
        {state === 'done' ? <Icon name="check" /> : number}
      </span>
      <h2 id={id} tabIndex={-1} ref={heading}>
        <span class="unseen">{`Step ${number}: `}</span>
        {title}
      </h2>
      {state !== 'ahead' && <div class="step-body stack">{children}</div>}
    </section>
  );
}
