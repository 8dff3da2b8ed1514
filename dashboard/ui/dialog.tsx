import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useBack } from '../router/place.ts';

interface Props {
  title: string;
  /** Asked before it is dismissed. By default, it asks before it discards any input; with null it never asks. */
  question?: LeaveQuestion | null;
  /** Called when the user dismisses the dialog. The parent decides whether it closes. */
  onClose(): void;
  children: ComponentChildren;
}

/** The question of a dialog before it is dismissed. */
export interface LeaveQuestion {
  title: string;
  text?: string;
  stay: string;
  leave: string;
  /** Whether nothing is lost. */
  isHarmless?: boolean;
  /** Called in place of `onClose`. */
  onLeave?(): void;
}

export const DISCARD: LeaveQuestion = {
  title: 'Discard your changes?',
  stay: 'Keep editing',
  leave: 'Discard changes',
};

/** What Escape does. */
export const DismissContext = createContext(() => {});

/** A modal dialog, open while it is rendered. Escape and Back dismiss it. */
export function Dialog({ title, question, onClose, children }: Props) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const keepButton = useRef<HTMLButtonElement>(null);
  const isChanged = useRef(false);
  /** The question, and the element to return the focus to after it. Undefined if the dialog does not ask. */
  const [asked, setAsked] = useState<{ question: LeaveQuestion; at: HTMLElement }>();
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
    return () => asked?.at.focus();
  }, [asked]);
  useLayoutEffect(() => setAsked(undefined), [question?.title]); // what was asked no longer applies

  const dismiss = () => {
    if (asked) return setAsked(undefined);
    const toAsk = question === undefined && isChanged.current ? DISCARD : question;
    if (toAsk) setAsked({ question: toAsk, at: document.activeElement as HTMLElement });
    else onClose();
  };
  const leave = () => {
    const { onLeave } = asked!.question;
    if (!onLeave) return onClose();
    setAsked(undefined);
    onLeave();
  };
  useBack(dismiss);

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
      <h2 id={id}>{asked?.question.title ?? title}</h2>
      {asked?.question.text && <p>{asked.question.text}</p>}
      {asked && (
        <div class="buttons" role="group" aria-labelledby={id}>
          <button type="button" ref={keepButton} onClick={dismiss}>
            {asked.question.stay}
          </button>
          <button type="button" class="danger solid" onClick={leave}>
            {asked.question.leave}
          </button>
        </div>
      )}
      <div class="content" hidden={asked !== undefined}>
        <DismissContext.Provider value={dismiss}>{children}</DismissContext.Provider>
      </div>
    </dialog>
  );
}

/** Dismisses the dialog, or the form in a page, around it, as Escape does. */
export const CancelButton = ({ autofocus }: { autofocus?: boolean }) => (
  <button type="button" autofocus={autofocus} onClick={useContext(DismissContext)}>
    Cancel
  </button>
);

/** Dismisses it, too, if there is nothing to cancel. */
export const DoneButton = () => (
  <button type="button" class="primary" onClick={useContext(DismissContext)}>
    Done
  </button>
);

/**
 * Focuses the page's heading after pending updates, which may remove the focused element. Not after a timer, which a
 * browser may defer until somebody types elsewhere.
 */
export const focusHeading = () =>
  queueMicrotask(() =>
    (document.querySelector<HTMLElement>('h1') ?? document.querySelector('main'))?.focus(),
  );
