import type { LoadPage, Section } from './frame/section.ts';
import type * as laterPages from './later-pages.ts';

const later =
  (name: keyof typeof laterPages): LoadPage =>
  async () => ({ default: (await import('./later-pages.ts'))[name] });

/** The pages, in the order of the navigation. The service lists the same paths in src/dashboard/dashboard.files.ts. */
export const SECTIONS: Section[] = [
  {
    path: '',
    title: 'Overview',
    icon: 'overview',
    scope: 'users:read',
    page: () => import('./overview/overview-page.tsx'),
  },
  {
    path: 'tokens',
    title: 'API tokens',
    icon: 'tokens',
    scope: 'admin',
    page: later('tokens'),
    item: later('token'),
  },
  {
    path: 'users',
    title: 'Users',
    icon: 'users',
    scope: 'users:read',
    page: later('users'),
    item: later('user'),
    named: { import: later('importUsers') },
  },
  {
    path: 'groups',
    title: 'Groups',
    icon: 'groups',
    scope: 'users:read',
    page: later('groups'),
    item: later('group'),
  },
  {
    path: 'deleted',
    title: 'Deleted',
    icon: 'deleted',
    scope: 'users:read',
    page: later('deleted'),
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    scope: 'admin',
    page: later('webhooks'),
    item: later('webhook'),
    named: { new: later('newWebhook') },
  },
  {
    path: 'activity',
    title: 'Activity',
    icon: 'activity',
    scope: 'admin',
    page: later('activity'),
  },
  {
    path: 'settings',
    title: 'Settings',
    icon: 'settings',
    scope: 'users:read',
    page: later('settings'),
  },
];
