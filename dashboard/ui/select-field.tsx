import { Field, type Labels } from './field.tsx';

interface Props extends Labels {
  /** The values with their displayed names; as pairs if names that are numbers are not in order. */
  options: Record<string, string> | string[][];
  /** Offers the empty value first, with this name: “Any role”. */
  any?: string;
  value?: string;
  onValue?(value: string): void;
  /** For a field that the form reads when it is sent. */
  name?: string;
  defaultValue?: string;
  disabled?: boolean;
}

/** A field whose value is one of several. */
export const SelectField = ({ label, hint, error, options, any, onValue, ...select }: Props) => (
  <Field label={label} hint={hint} error={error}>
    {(field) => (
      <select {...field} {...select} onChange={(event) => onValue?.(event.currentTarget.value)}>
        {any !== undefined && <option value="">{any}</option>}
        {(Array.isArray(options) ? options : Object.entries(options)).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    )}
  </Field>
);
