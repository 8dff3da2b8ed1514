import type { Section } from './frame/section.ts';

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
    page: () => import('./tokens/list/tokens-page.tsx'),
    item: () => import('./tokens/detail/token-page.tsx'),
  },
  {
    path: 'users',
    title: 'Users',
    icon: 'users',
    scope: 'users:read',
    page: () => import('./users/list/users-page.tsx'),
    item: () => import('./users/detail/user-page.tsx'),
    named: { import: () => import('./users/import/import-page.tsx') },
  },
  {
    path: 'groups',
    title: 'Groups',
    icon: 'groups',
    scope: 'users:read',
    page: () => import('./groups/groups-page.tsx'),
    item: () => import('./groups/group-members-page.tsx'),
  },
  {
    path: 'deleted',
    title: 'Deleted',
    icon: 'deleted',
    scope: 'users:read',
    page: () => import('./deleted/deleted-page.tsx'),
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    scope: 'admin',
    page: () => import('./webhooks/webhooks-page.tsx'),
    item: () => import('./webhooks/webhook-page.tsx'),
    named: { new: () => import('./webhooks/new-webhook-page.tsx') },
  },
  {
    path: 'activity',
    title: 'Activity',
    icon: 'activity',
    scope: 'admin',
    page: () => import('./activity/activity-page.tsx'),
  },
  {
    path: 'settings',
    title: 'Settings',
    icon: 'settings',
    scope: 'users:read',
    page: () => import('./settings/settings-page.tsx'),
  },
];
