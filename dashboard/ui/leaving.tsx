import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useLeaving } from '../router/place.ts';
import { Dialog, DISCARD, DismissContext, type LeaveQuestion } from './dialog.tsx';
import { useBusy } from './use-task.ts';

/** While it is shown, nobody leaves the page without the answer to the question; without a question, nobody leaves. */
export function AskBeforeLeaving({ question }: { question: LeaveQuestion | undefined }) {
  const { ask, dialog } = useQuestion(question);
  useBusy(true, false);
  useLeaving(ask);
  return dialog;
}

interface Props {
  onClose(): void;
  children: ComponentChildren;
}

/** A form in the page. Escape, Cancel and whatever leaves the page ask before they discard any input. */
export function InPlace({ onClose, children }: Props) {
  const [isChanged, setIsChanged] = useState(false);
  const { ask, dialog } = useQuestion(DISCARD);
  const dismiss = () => (isChanged ? ask(onClose) : onClose());
  useBusy(isChanged, false);
  useLeaving(isChanged ? ask : undefined);

  return (
    <>
      <div
        class="in-place"
        onInput={({ target }) => (target as HTMLElement).matches('[type=checkbox]') || setIsChanged(true)}
        onChange={() => setIsChanged(true)} // of a box, once it has been read
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.isComposing) return;
          event.preventDefault(); // the key would close the question, too
          dismiss();
        }}
      >
        <DismissContext.Provider value={dismiss}>{children}</DismissContext.Provider>
      </div>
      {dialog}
    </>
  );
}

/** A function that asks before it leaves, and the dialog in which it does. */
function useQuestion(question: LeaveQuestion | undefined) {
  const [leave, setLeave] = useState<() => void>();
  const stay = () => setLeave(undefined);
  useLayoutEffect(stay, [question?.title]); // what was asked no longer applies
  const ask = (leave: () => void) => setLeave(() => leave);
  const dialog = leave && question && (
    <Dialog title={question.title} question={null} onClose={stay}>
      {question.text && <p>{question.text}</p>}
      <div class="buttons">
        <button type="button" autofocus onClick={stay}>
          {question.stay}
        </button>
        <button
          type="button"
          class={question.isHarmless ? 'primary' : 'danger solid'}
          onClick={() => {
            stay();
            (question.onLeave ?? leave)();
          }}
        >
          {question.leave}
        </button>
      </div>
    </Dialog>
  );
  return { ask, dialog };
}
