import type { User } from '../../../client/index.ts';
import { NameLink } from '../../ui/table.tsx';
import { initialsOf, tintOf } from './initials.ts';

/** The circle before a name. Its letters are no text: they are neither read, found nor copied. */
export const Initials = ({ id, name }: Pick<User, 'id' | 'name'>) => (
  <span class={`initials ${tintOf(id)}`} data-letters={initialsOf(name)} aria-hidden="true" />
);

/** A user in a row, who leads to their page. Most are active: only the others are marked. */
export const Person = ({ id, name, active }: Pick<User, 'id' | 'name' | 'active'>) => (
  <span class="person">
    <Initials id={id} name={name} />
    <NameLink name={name} to={`users/${id}`} />
    {!active && <span class="state">Inactive</span>}
  </span>
);
