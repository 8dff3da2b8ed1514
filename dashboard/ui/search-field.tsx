import type { ComponentChildren } from 'preact';
import { InputField } from './field.tsx';

/** The text to search for; undefined if it is too short for the API. */
export const queryIn = (text: string) => ([...text].length >= 2 ? text : undefined);

interface FormProps {
  /** Whether the labels are for screen readers only, because the placeholder and the values say the same. */
  isTerse?: boolean;
  children: ComponentChildren;
}

/** Search fields and filters, which take effect while they are changed. */
export const SearchForm = ({ isTerse, children }: FormProps) => (
  <form
    class={isTerse ? 'tools search terse' : 'tools search'}
    role="search"
    onSubmit={(event) => event.preventDefault()}
  >
    {children}
  </form>
);

interface Props {
  label: string;
  placeholder?: string;
  maxLength: number;
  value: string;
  onValue(value: string): void;
}

export const SearchField = ({ onValue, ...input }: Props) => (
  <InputField
    {...input}
    type="search"
    spellcheck={false}
    onInput={(event) => onValue(event.currentTarget.value)}
  />
);
