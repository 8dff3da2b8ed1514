import { Field } from '../ui/field.tsx';
import { type Area, AREAS, KINDS, kindsOf } from './kinds.ts';

interface Props {
  /** A kind, or what events are about. */
  value: string;
  onValue(value: string): void;
}

/** Chooses a kind of events, or all kinds about something. */
export const KindField = ({ value, onValue }: Props) => (
  <Field label="Kind">
    {(field) => (
      <select {...field} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">Any kind</option>
        {(Object.keys(AREAS) as Area[]).map((area) => (
          <optgroup key={area} label={AREAS[area]}>
            <option value={area}>All about {AREAS[area].toLowerCase()}</option>
            {kindsOf(area).map((kind) => (
              <option key={kind} value={kind}>
                {KINDS[kind]}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    )}
  </Field>
);
