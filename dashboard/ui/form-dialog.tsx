import type { ComponentChildren } from 'preact';
import { CancelButton, Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { type Form, useSubmit } from './use-submit.ts';

interface Props {
  title: string;
  /** The text of the button that sends the form, and its text meanwhile: “Delete user”, “Deleting …”. */
  action: string;
  doing: string;
  /** The fields that show their own faults. */
  fields?: string[];
  /** Sends the form, and reports the success. A failure is shown in the dialog, which stays open. */
  onSubmit(data: FormData): Promise<void>;
  onClose(): void;
  /** The button that has the focus at first; by default, it is the first control with `autofocus`. */
  focus?: 'cancel' | 'action';
  isDangerous?: boolean;
  children:
    ComponentChildren | ((errorAt: Form['errorAt'], errorsBelow: Form['errorsBelow']) => ComponentChildren);
}

/** A dialog with a form that is sent, and that shows why it could not be. */
export function FormDialog({ title, action, doing, fields = [], onSubmit, onClose, ...props }: Props) {
  const form = useSubmit(fields, onSubmit);
  const { children, focus, isDangerous } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit} noValidate>
        {typeof children === 'function' ? children(form.errorAt, form.errorsBelow) : children}
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton autofocus={focus === 'cancel'} />
          <button
            class={isDangerous ? 'danger solid' : 'primary'}
            autofocus={focus === 'action'}
            aria-disabled={form.busy}
          >
            {form.busy ? doing : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Asks before something happens that takes more than a click to undo: Cancel has the focus. */
export const ConfirmDialog = (props: Omit<Props, 'focus'>) => <FormDialog focus="cancel" {...props} />;
