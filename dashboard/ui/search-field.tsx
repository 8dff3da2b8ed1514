import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { InputField } from './field.tsx';

/** The text to search for; undefined if it is too short for the API. */
export const queryIn = (text: string) => ([...text].length >= 2 ? text : undefined);

interface FormProps {
  /** Whether the labels are for screen readers only, because the placeholder and the values say the same. */
  isTerse?: boolean;
  children: ComponentChildren;
}

/**
 * Search fields and filters, which take effect while they are changed. A narrow window shows the first one, and the
 * others behind a button.
 */
export function SearchForm({ isTerse, children }: FormProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <form
      class={`tools search${isTerse ? ' terse' : ''}${isOpen ? ' open' : ''}`}
      role="search"
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
      {isTerse && (
        <button
          type="button"
          class="filters-button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          Filters
        </button>
      )}
    </form>
  );
}

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
