import { useState } from 'preact/hooks';
import { LocalFaults } from '../../ui/faults.ts';
import { InputField } from '../../ui/field.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { dateIn } from '../../ui/time.tsx';
import { CUSTOM, type Life, livesWithin } from './lives.ts';
import { useMaxDays } from './use-max-days.ts';

const MAX_DAYS = 3650;

/** The chosen life of a new token. What the service would refuse is not offered. */
export function useExpiry(initial: string, all: Life[]) {
  const maxDays = useMaxDays();
  const [chosen, setChoice] = useState(initial);
  const [customDays, setCustomDays] = useState('');
  const lives = livesWithin(all, maxDays);
  const isOffered = lives.some(([value]) => value === chosen);
  const choice = isOffered ? chosen : String(maxDays);
  const most = maxDays ?? MAX_DAYS;
  const days = Number((choice === CUSTOM[0] ? customDays : choice).trim() || NaN);
  const isDays = Number.isInteger(days) && days >= 1 && days <= most;
  return {
    choices: lives.map(([value, title]) => [value, title]),
    choice,
    setChoice,
    customDays,
    setCustomDays,
    maxDays,
    days: isDays ? days : undefined,
    /** The value for the API. Throws a fault if the entered number of days is not valid. */
    expiresIn(): string | undefined {
      if (isDays) return `${days}d`;
      if (choice !== CUSTOM[0]) return undefined;
      throw new LocalFaults([{ field: 'expiresIn', message: `must be a whole number from 1 to ${most}` }]);
    },
  };
}

interface Props {
  label: string;
  expiry: ReturnType<typeof useExpiry>;
  error?: string;
}

export function ExpiryField({ label, expiry, error }: Props) {
  const { choices, choice, customDays, days, maxDays } = expiry;
  const isCustom = choice === CUSTOM[0];
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
          hint={maxDays !== null && `At most ${maxDays}.`}
          error={error}
          inputMode="numeric"
          value={customDays}
          onInput={(event) => expiry.setCustomDays(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
