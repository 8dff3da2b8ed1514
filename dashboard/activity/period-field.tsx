import { DaysField } from '../ui/days-field.tsx';
import { SelectField } from '../ui/select-field.tsx';
import type { ChangeFilter } from './filter.ts';
import { type ChosenPeriod, PERIODS } from './period.ts';

interface Props extends ChosenPeriod {
  onChange: ChangeFilter;
}

/** Chooses a period, or the days that it begins and ends with. */
export const PeriodField = ({ period, from, to, onChange }: Props) => (
  <>
    <SelectField
      label="When"
      options={PERIODS}
      any="Any time"
      value={period ?? ''}
      onValue={(period) => onChange({ period: period || undefined, from: undefined, to: undefined })}
    />
    {period === 'dates' && (
      <DaysField from={from} to={to} onDay={(end, day) => onChange({ [end]: day || undefined })} />
    )}
  </>
);
