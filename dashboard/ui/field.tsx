import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** What the control of a field must have, so that its label, hint and error belong to it. */
export interface FieldProps {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

interface Props {
  label: string;
  hint?: ComponentChildren;
  /** Read after the label: “is required”. */
  error?: string;
  children(props: FieldProps): JSX.Element;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': described || undefined })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} label={label} error={error} />
    </div>
  );
}

export const FieldError = ({ id, label, error }: { id: string; label: string; error?: string }) => (
  <p class="error" id={id} role="alert">
    {error && `${label} ${error}.`}
  </p>
);
