import { Field } from './field.tsx';

/** The text to search for; undefined if it is too short for the API. */
export const queryIn = (text: string) => ([...text].length >= 2 ? text : undefined);

interface Props {
  label: string;
  placeholder?: string;
  maxLength: number;
  value: string;
  onValue(value: string): void;
}

export const SearchField = ({ label, placeholder, maxLength, value, onValue }: Props) => (
  <Field label={label}>
    {(field) => (
      <input
        {...field}
        type="search"
        autocomplete="off"
        spellcheck={false}
        maxLength={maxLength}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    )}
  </Field>
);
