import { useState } from 'preact/hooks';
import { InputField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { dateIn } from '../../ui/time.tsx';
import { LocalFaults } from '../../ui/faults.ts';

/** The choices of days. Any other choice of a dialog stands for no `expiresIn`. */
export const DAYS = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
  ['custom', 'Custom …'],
];

const MAX_DAYS = 3650;

/** The chosen life of a new token. */
export function useExpiry(initial: string) {
  const [choice, setChoice] = useState(initial);
  const [customDays, setCustomDays] = useState('');
  const days = choice === 'custom' ? customDays : choice;
  return {
    choice,
    setChoice,
    customDays,
    setCustomDays,
    days: isDays(days) ? Number(days) : undefined,
    /** The value for the API. Throws a fault if the entered number of days is not valid. */
    expiresIn(): string | undefined {
      if (isDays(days)) return `${Number(days)}d`;
      if (choice !== 'custom') return undefined;
      const message = `must be a whole number from 1 to ${MAX_DAYS}`;
      throw new LocalFaults([{ field: 'expiresIn', message }]);
    },
  };
}

interface Props {
  label: string;
  expiry: ReturnType<typeof useExpiry>;
  choices: string[][];
  error?: string;
}

export function ExpiryField({ label, expiry, choices, error }: Props) {
  const { choice, customDays, days } = expiry;
  const isCustom = choice === 'custom';
  return (
    <div class="columns">
      <SelectField
        label={label}
        hint={days !== undefined && `Expires on ${dateIn(days)}.`}
        error={isCustom ? undefined : error}
        options={choices}
        value={choice}
        onValue={expiry.setChoice}
      />
      {isCustom && (
        <InputField
          label="Days"
          error={error}
          inputMode="numeric"
          value={customDays}
          onInput={(event) => expiry.setCustomDays(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

const isDays = (text: string) =>
  /^\s*\d{1,4}\s*$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_DAYS;
