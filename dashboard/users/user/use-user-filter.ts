import { useMemo } from 'preact/hooks';
import { useQuery } from '../../router/place.ts';
import { queryIn } from '../../ui/search-field.tsx';
import { type Role, ROLES } from './roles.ts';
import { boundsOf, timeIn } from './time-filter.ts';
import { FIRST_ORDERS, type UserFilter } from './user-filter.ts';

/** The filter in the address of the page, so that it can be shared and restored, and a function that changes it. */
export function useUserFilter() {
  const [parameters, change] = useQuery();
  const address = String(parameters);
  return { text: parameters.get('q') ?? '', filter: useMemo(() => filterIn(parameters), [address]), change };
}

export type ChangeFilter = ReturnType<typeof useUserFilter>['change'];

function filterIn(parameters: URLSearchParams): UserFilter {
  const roles = parameters.get('role')?.split(',') ?? [];
  const active = parameters.get('active');
  const group = parameters.get('group') ?? undefined;
  const time = group === undefined ? timeIn(parameters) : undefined;
  const chosen = parameters.get('sort') ?? '';
  const sort = time?.by ?? ((chosen in FIRST_ORDERS ? chosen : 'createdAt') as UserFilter['sort']);
  const order = chosen === sort || !chosen ? parameters.get('order') : null; // it is of the chosen field
  return {
    query: queryIn(parameters.get('q') ?? ''),
    roles: (Object.keys(ROLES) as Role[]).filter((role) => roles.includes(role)),
    active: active === 'true' ? true : active === 'false' ? false : undefined,
    group,
    time,
    ...(time && boundsOf(time, Date.now())),
    sort,
    order: order === 'asc' || order === 'desc' ? order : FIRST_ORDERS[sort],
  };
}
