import { FocusedBanner } from '../../ui/focused-banner.tsx';
import { titleOf } from '../../ui/field-title.ts';
import { FieldValue } from '../user/field-value.tsx';
import type { Conflict } from './changes.ts';

/** Says what two people have changed differently, and that nothing is saved yet. */
export const ConflictBanner = ({ conflicts }: { conflicts: Conflict[] }) => (
  <FocusedBanner>
    <p>
      Somebody else changed this user while you were editing it, so your changes are not saved yet. The form
      has your values; save again to replace theirs.
    </p>
    <ul>
      {conflicts.map(({ field, mine, theirs }) => (
        <li key={field}>
          {titleOf(field)}: yours is <FieldValue field={field} value={mine} />, theirs is{' '}
          <FieldValue field={field} value={theirs} />.
        </li>
      ))}
    </ul>
  </FocusedBanner>
);
