import type { ListEventsQuery } from '../../client/index.ts';
import { useQuery } from '../router/place.ts';
import { AREAS, type Kind, KINDS, kindsOf } from './kinds.ts';
import { boundsOf, type ChosenPeriod, type Period, PERIODS } from './period.ts';

/** The filters as they are in the address of the page. Undefined ones match everything. */
export interface Filter extends ChosenPeriod {
  /** A kind of events, or what events are about. */
  kind?: string;
  /** The id of the token that made the change. */
  actor?: string;
  /** The id of whom or what was changed. */
  target?: string;
}

export type ChangeFilter = (changes: Partial<Record<keyof Filter, string>>) => void;

const ID = /^(usr|grp|tok|whk|org)_[0-9a-z]{26}$/;

/** The filter in the address, so that it can be shared and restored, and a function that changes it. */
export function useFilter(): { filter: Filter; isFiltered: boolean; change: ChangeFilter } {
  const [parameters, change] = useQuery();
  const valid = (name: string, isValid: (value: string) => boolean) => {
    const value = parameters.get(name);
    return value !== null && isValid(value) ? value : undefined;
  };
  const filter: Filter = {
    kind: valid('kind', (kind) => kind in KINDS || kind in AREAS),
    actor: valid('actor', (id) => ID.test(id)),
    target: valid('target', (id) => ID.test(id)),
    period: valid('period', (period) => period in PERIODS) as Period | undefined,
    from: parameters.get('from') ?? '',
    to: parameters.get('to') ?? '',
  };
  const { kind, actor, target, period } = filter;
  const isFiltered = (kind ?? actor ?? target ?? period) !== undefined;
  return { filter, isFiltered, change };
}

/** All that a filter needs to be cleared. */
export const NO_FILTER: Parameters<ChangeFilter>[0] = {
  kind: undefined,
  actor: undefined,
  target: undefined,
  period: undefined,
  from: undefined,
  to: undefined,
};

/** What passes the filter, for the API. */
export function queryOf({ kind, actor, target, ...period }: Filter): ListEventsQuery {
  const types: Kind[] = kind === undefined ? [] : kind in AREAS ? kindsOf(kind) : [kind as Kind];
  return { type: types.join() || undefined, actor, target, ...boundsOf(period) };
}
