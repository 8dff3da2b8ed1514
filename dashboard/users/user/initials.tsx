import { initialsOf, tintOf } from './initials.ts';

interface Props {
  id: string;
  name: string;
  /** Beside the heading of a page. */
  isLarge?: boolean;
}

/** The circle before a name. Its letters are no text: they are neither read, found nor copied. */
export const Initials = ({ id, name, isLarge = false }: Props) => (
  <span
    class={`initials ${tintOf(id)}${isLarge ? ' large' : ''}`}
    data-letters={initialsOf(name)}
    aria-hidden="true"
  />
);
