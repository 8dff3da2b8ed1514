import type { Token } from '../../../client/index.ts';
import { useQuery } from '../../router/place.ts';

export type StateFilter = 'all' | Token['state'];

/** The states to choose from, with their displayed names. */
export const STATES: Record<StateFilter, string> = {
  all: 'All',
  active: 'Active',
  expired: 'Expired',
  revoked: 'Revoked',
};

/** The filter in the address of the page, so that others can link to it, and a function that changes it. */
export function useTokenFilter() {
  const [parameters, change] = useQuery();
  const state = parameters.get('state') ?? '';
  return {
    state: state in STATES ? (state as StateFilter) : 'all',
    /** The id of the token that has issued those listed. They all belong to sessions. */
    parent: parameters.get('parent') ?? undefined,
    hasSessions: parameters.has('sessions'),
    change,
  };
}
