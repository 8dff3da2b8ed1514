import { InputField } from '../ui/field.tsx';
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
      <div class="dates">
        <InputField
          label="First day"
          type="date"
          value={from}
          onInput={({ currentTarget: { value } }) => onChange({ from: value || undefined })}
        />
        <InputField
          label="Last day"
          type="date"
          value={to}
          onInput={({ currentTarget: { value } }) => onChange({ to: value || undefined })}
        />
      </div>
    )}
  </>
);
