import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  /** The person wants to leave. Whoever shows the dialog decides. */
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog, open as long as it is rendered. */
export function Dialog({ title, onClose, children }: Props) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    return () => {
      dialog.close(); // gives the focus back
      if (document.activeElement === document.body) focusHeading();
    };
  }, []);

  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== ref.current) return; // that of a file or date picker
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // A browser lets a second Escape through.
        if (!ref.current?.isConnected || ref.current.open) return;
        ref.current.showModal();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Puts the focus at the beginning of the page, once what is about to go is gone. */
export const focusHeading = () => void setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus());
