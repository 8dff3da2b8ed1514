import { useQuery } from '../../router/place.ts';
import { SIZES } from '../../ui/use-list.ts';
import { STATES } from './state-filter-bar.tsx';

/** The filter in the address of the page, so that others can link to it, and a function that changes it. */
export function useTokenFilter() {
  const [parameters, change] = useQuery();
  const state = parameters.get('state');
  const rows = Number(parameters.get('rows'));
  return {
    state: STATES.find((known) => known === state) ?? 'all',
    /** The id of the token that has issued those listed. They all belong to sessions. */
    parent: parameters.get('parent') ?? undefined,
    hasSessions: parameters.has('sessions'),
    size: SIZES.find((size) => size === rows) ?? SIZES[0],
    change,
  };
}
