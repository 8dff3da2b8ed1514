import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** Attributes that link a control to its label, hint and error. */
export interface FieldProps {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

interface Props {
  label: string;
  hint?: ComponentChildren;
  /** Completes the label to a sentence: “is required”. */
  error?: string;
  children(props: FieldProps): JSX.Element;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} label={label} error={error} />
    </div>
  );
}

const FieldError = ({ id, label, error }: { id: string; label: string; error?: string }) => (
  <p class="error" id={id} role="alert">
    {error && `${label} ${error}.`}
  </p>
);
