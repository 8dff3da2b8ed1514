import { InputField } from './field.tsx';

interface Props {
  from: string;
  to: string;
  /** Called with the day, or an empty text. */
  onDay(end: 'from' | 'to', day: string): void;
}

/** Two days, such as `2026-01-31`; an empty one is open. They have a row of their own among the tools of a list. */
export const DaysField = ({ from, to, onDay }: Props) => (
  <div class="days">
    <InputField
      label="First day"
      type="date"
      value={from}
      onInput={({ currentTarget: { value } }) => onDay('from', value)}
    />
    <InputField
      label="Last day"
      type="date"
      value={to}
      onInput={({ currentTarget: { value } }) => onDay('to', value)}
    />
  </div>
);
