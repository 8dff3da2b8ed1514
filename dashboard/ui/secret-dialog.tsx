import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CopyField } from './copy.tsx';
import { Dialog, DoneButton } from './dialog.tsx';
import { useBusy } from './use-task.ts';

interface Props {
  title: string;
  /** What the value is: “Token”. */
  label: string;
  value: string;
  /** A way to use it, which contains it. */
  example?: { label: string; text: string; rows: number };
  /** What to do if the value is lost: “create another one”. */
  ifLost: string;
  onClose(): void;
  children?: ComponentChildren;
}

/** Shows a value that cannot be shown again. Until it has been copied, the dialog asks before it closes. */
export function SecretDialog({ label, value, example, ifLost, children, ...dialog }: Props) {
  const [isCopied, setIsCopied] = useState(false);
  useBusy(!isCopied, false);
  const noun = label.toLowerCase();
  const question = {
    title: `Have you saved the ${noun}?`,
    text: `You won't see the ${noun} again. If you lose it, ${ifLost}.`,
    stay: 'Back',
    leave: 'I have saved it',
  };
  return (
    <Dialog {...dialog} question={isCopied ? null : question}>
      <p class="banner warning">Copy the {noun} now. You won't be able to see it again.</p>
      <CopyField label={label} value={value} onCopied={() => setIsCopied(true)} />
      {example && (
        <CopyField
          label={example.label}
          value={example.text}
          rows={example.rows}
          onCopied={() => setIsCopied(true)}
        />
      )}
      {children}
      <div class="buttons">
        <DoneButton />
      </div>
    </Dialog>
  );
}
