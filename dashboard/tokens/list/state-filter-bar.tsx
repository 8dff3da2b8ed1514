import type { Token } from '../../../client/index.ts';

export type StateFilter = 'all' | Token['state'];

export const STATES: StateFilter[] = ['all', 'active', 'expired', 'revoked'];

export const StateFilterBar = ({
  state,
  onState,
}: {
  state: StateFilter;
  onState(state: StateFilter): void;
}) => (
  <fieldset class="segments">
    <legend class="unseen">Filter tokens by state</legend>
    {STATES.map((value) => (
      <label key={value}>
        <input
          type="radio"
          name="state"
          value={value}
          checked={state === value}
          onChange={() => onState(value)}
        />
        <span>{value}</span>
      </label>
    ))}
  </fieldset>
);
