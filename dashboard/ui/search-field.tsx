import { Field } from './field.tsx';

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
