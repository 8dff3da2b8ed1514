import { useLayoutEffect, useState } from 'preact/hooks';
import { useLeaving } from '../../router/place.ts';
import { Dialog, type LeaveQuestion } from '../../ui/dialog.tsx';
import { useBusy } from '../../ui/use-task.ts';

/** While it is shown, nobody leaves the page without the answer to the question; without a question, nobody leaves. */
export function AskBeforeLeaving({ question }: { question: LeaveQuestion | undefined }) {
  const [leave, setLeave] = useState<() => void>();
  useBusy(true, false);
  useLeaving((leave) => setLeave(() => leave));
  useLayoutEffect(() => setLeave(undefined), [question?.title]); // what was asked no longer applies
  if (!leave || !question) return null;
  const stay = () => setLeave(undefined);
  return (
    <Dialog title={question.title} question={null} onClose={stay}>
      {question.text && <p>{question.text}</p>}
      <div class="buttons">
        <button type="button" onClick={stay}>
          {question.stay}
        </button>
        <button
          type="button"
          class={question.onLeave ? 'danger solid' : 'primary'}
          onClick={() => {
            stay();
            if (question.onLeave) question.onLeave();
            else leave();
          }}
        >
          {question.leave}
        </button>
      </div>
    </Dialog>
  );
}

/** A file that is not imported yet. */
export const questionAbout = (name: string): LeaveQuestion => ({
  title: 'Leave the import?',
  text: `${name} has not been imported yet. It stays here, with what you chose for its columns, until you sign out.`,
  stay: 'Stay',
  leave: 'Leave',
});
