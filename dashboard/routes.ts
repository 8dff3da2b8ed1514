import type { ComponentType } from 'preact';
import type { PageProps } from './router/page-props.ts';

export interface Route {
  /** Below the dashboard's address; `:id` stands for an id. The service answers these paths in src/dashboard/dashboard.files.ts. */
  path: string;
  /** Loads the page when it is opened. */
  load(): Promise<ComponentType<PageProps>>;
}

export const ROUTES: Route[] = [
  { path: '', load: () => import('./overview/overview-page.tsx').then((file) => file.OverviewPage) },
  { path: 'users', load: () => import('./users/list/users-page.tsx').then((file) => file.UsersPage) },
  { path: 'users/:id', load: () => import('./users/detail/user-page.tsx').then((file) => file.UserPage) },
  { path: 'tokens', load: () => import('./tokens/list/tokens-page.tsx').then((file) => file.TokensPage) },
  { path: 'tokens/:id', load: () => import('./tokens/detail/token-page.tsx').then((file) => file.TokenPage) },
  { path: 'groups', load: () => import('./groups/groups-page.tsx').then((file) => file.GroupsPage) },
  {
    path: 'groups/:id',
    load: () => import('./groups/group-members-page.tsx').then((file) => file.GroupMembersPage),
  },
  { path: 'deleted', load: () => import('./deleted/deleted-page.tsx').then((file) => file.DeletedPage) },
  { path: 'webhooks', load: () => import('./webhooks/webhooks-page.tsx').then((file) => file.WebhooksPage) },
  { path: 'activity', load: () => import('./activity/activity-page.tsx').then((file) => file.ActivityPage) },
];

/** The links of the navigation: the path and the title. */
export const SECTIONS = [
  ['', 'Overview'],
  ['tokens', 'API tokens'],
  ['users', 'Users'],
  ['groups', 'Groups'],
  ['deleted', 'Deleted'],
  ['webhooks', 'Webhooks'],
  ['activity', 'Activity'],
] as const;

/** The route of a path, and the id in it. */
export function routeOf(path: string): { route: Route; id: string } | undefined {
  const [section, id = '', ...rest] = path.split('/');
  const wanted = id ? `${section}/:id` : section;
  const route = rest.length === 0 ? ROUTES.find(({ path }) => path === wanted) : undefined;
  return route && { route, id };
}
