import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLeaving } from '../../router/place.ts';
import { Dialog, DISCARD, DismissContext } from '../../ui/dialog.tsx';
import { useBusy } from '../../ui/use-task.ts';

interface Props {
  onClose(): void;
  children: ComponentChildren;
}

/** A form in the page. Escape, Cancel and whatever leaves the page ask before they discard any input. */
export function InPlace({ onClose, children }: Props) {
  const [isChanged, setIsChanged] = useState(false);
  /** What is asked about. */
  const [leave, setLeave] = useState<() => void>();
  useBusy(isChanged, false);
  const stay = () => setLeave(undefined);
  const ask = (leave: () => void) => setLeave(() => leave);
  const dismiss = () => (isChanged ? ask(onClose) : onClose());

  return (
    <>
      {isChanged && <AskBeforeLeaving ask={ask} />}
      <div
        class="in-place"
        onInput={() => setIsChanged(true)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.isComposing) return;
          event.preventDefault(); // the key would close the question, too
          dismiss();
        }}
      >
        <DismissContext.Provider value={dismiss}>{children}</DismissContext.Provider>
      </div>
      {leave && (
        <Dialog title={DISCARD.title} question={null} onClose={stay}>
          <div class="buttons">
            <button type="button" autofocus onClick={stay}>
              {DISCARD.stay}
            </button>
            <button
              type="button"
              class="danger solid"
              onClick={() => {
                stay();
                leave();
              }}
            >
              {DISCARD.leave}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function AskBeforeLeaving({ ask }: { ask(leave: () => void): void }) {
  useLeaving(ask);
  return null;
}
