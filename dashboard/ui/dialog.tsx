import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  /** Called when the user dismisses the dialog. The parent decides whether it closes. */
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
      dialog.close(); // restores the focus
      if (document.activeElement === document.body) focusHeading();
    };
  }, []);

  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== ref.current) return; // from a file or date picker inside the dialog
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // Browsers close the dialog at a second Escape even if onCancel prevents it.
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

/** Focuses the page's heading after pending updates, which may remove the focused element. */
export const focusHeading = () => void setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus());
