import { DaysField } from '../../ui/days-field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { PERIODS, timeChanges, type TimeField, type TimeFilter } from '../user/time-filter.ts';
import type { ChangeFilter } from '../user/use-user-filter.ts';

interface Props {
  time: TimeFilter | undefined;
  change: ChangeFilter;
  /** A search does not filter by time. */
  disabled: boolean;
}

const BETWEEN = 'between';
const FIELDS: [TimeField, string][] = [
  ['createdAt', 'Created'],
  ['updatedAt', 'Changed'],
];

const OPTIONS = FIELDS.flatMap(([by, title]) => [
  ...Object.entries(PERIODS).map(([period, name]) => [`${by} ${period}`, `${title}: ${name}`]),
  [`${by} ${BETWEEN}`, `${title} between …`],
]);

/** Filters by the time of the creation or of the last change. */
export function TimeSelect({ time, change, disabled }: Props) {
  const choose = (chosen: string) => {
    const [by, period] = chosen.split(' ') as [TimeField, TimeFilter['period'] | typeof BETWEEN];
    if (!chosen) change(timeChanges(undefined));
    else change(timeChanges(period === BETWEEN ? { by } : { by, period }));
  };
  return (
    <SelectField
      label="Time"
      options={OPTIONS}
      any="Any time"
      value={!time || disabled ? '' : `${time.by} ${time.period ?? BETWEEN}`}
      disabled={disabled}
      onValue={choose}
    />
  );
}

/** The days that the time is between. Hidden unless it is. */
export function TimeDays({ time, change, disabled }: Props) {
  if (!time || time.period || disabled) return null;
  const { from = '', to = '' } = time;
  return <DaysField from={from} to={to} onDay={(end, day) => change(timeChanges({ ...time, [end]: day }))} />;
}
