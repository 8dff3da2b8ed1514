import type { User } from '../../../client/index.ts';
import { NameLink } from '../../ui/table.tsx';
import { Initials } from './initials.tsx';

/** A user in a row, who leads to their page. Most are active: only the others are marked. */
export const Person = ({ id, name, active }: Pick<User, 'id' | 'name' | 'active'>) => (
  <span class="person">
    <Initials id={id} name={name} />
    <NameLink name={name} to={`users/${id}`} />
    {!active && <span class="state">Inactive</span>}
  </span>
);
