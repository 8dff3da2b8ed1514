import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  title: string;
  /** Called when the user dismisses the dialog. The parent decides whether it closes. */
  onClose(): void;
  children: ComponentChildren;
}

const DismissContext = createContext(() => {});

/** A modal dialog, open as long as it is rendered. It asks before it discards what the user has entered. */
export function Dialog({ title, onClose, children }: Props) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const keepButton = useRef<HTMLButtonElement>(null);
  const isChanged = useRef(false);
  /** The element to return the focus to after the question. Undefined if the dialog does not ask. */
  const [askedAt, setAskedAt] = useState<HTMLElement>();
  const isAsking = askedAt !== undefined;
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    return () => {
      dialog.close(); // restores the focus
      if (document.activeElement === document.body) focusHeading();
    };
  }, []);
  useLayoutEffect(() => {
    keepButton.current?.focus();
    return () => askedAt?.focus();
  }, [askedAt]);

  const dismiss = () => {
    if (isAsking) setAskedAt(undefined);
    else if (isChanged.current) setAskedAt(document.activeElement as HTMLElement);
    else onClose();
  };

  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onInput={() => (isChanged.current = true)}
      onCancel={(event) => {
        if (event.target !== ref.current) return; // from a file or date picker inside the dialog
        event.preventDefault();
        dismiss();
      }}
      onClose={() => {
        // Browsers close the dialog at a second Escape even if onCancel prevents it.
        if (!ref.current?.isConnected || ref.current.open) return;
        ref.current.showModal();
        dismiss();
      }}
    >
      <h2 id={id}>{isAsking ? 'Discard your changes?' : title}</h2>
      {isAsking && (
        <div class="buttons" role="group" aria-labelledby={id}>
          <button type="button" ref={keepButton} onClick={dismiss}>
            Keep editing
          </button>
          <button type="button" class="danger solid" onClick={onClose}>
            Discard changes
          </button>
        </div>
      )}
      <div class="content" hidden={isAsking}>
        <DismissContext.Provider value={dismiss}>{children}</DismissContext.Provider>
      </div>
    </dialog>
  );
}

/** Dismisses the dialog around it, as Escape does. */
export const CancelButton = ({ autofocus }: { autofocus?: boolean }) => (
  <button type="button" autofocus={autofocus} onClick={useContext(DismissContext)}>
    Cancel
  </button>
);

/** Focuses the page's heading after pending updates, which may remove the focused element. */
export const focusHeading = () => void setTimeout(() => document.querySelector<HTMLElement>('h1')?.focus());
