import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** Attributes that link a control to its label, hint and error. */
export interface FieldProps {
  id: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

export interface Labels {
  label: string;
  hint?: ComponentChildren;
  /** Completes the label to a sentence: “is required”. */
  error?: string;
}

interface Props extends Labels {
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
      <p class="error" id={`${id}-error`} role="alert">
        {error && `${label} ${error}.`}
      </p>
    </div>
  );
}

/** A field with an input of any type but a box. */
export const InputField = ({
  label,
  hint,
  error,
  ...input
}: Labels & InputHTMLAttributes<HTMLInputElement>) => (
  <Field label={label} hint={hint} error={error}>
    {(field) => <input type="text" autocomplete="off" {...field} {...input} />}
  </Field>
);

type BoxAttributes =
  | 'name'
  | 'value'
  | 'checked'
  | 'indeterminate'
  | 'defaultChecked'
  | 'aria-invalid'
  | 'onChange'
  | 'children';

/** A box to check, with its label behind it. */
export const CheckField = ({
  children,
  ...input
}: Pick<InputHTMLAttributes<HTMLInputElement>, BoxAttributes>) => (
  <label class="check">
    <input type="checkbox" {...input} />
    <span>{children}</span>
  </label>
);
