/**
 * All pages but the first one, which are fetched as soon as that is shown: as one file they compress by a fifth better.
 */
export { default as activity } from './activity/activity-page.tsx';
export { default as deleted } from './deleted/deleted-page.tsx';
export { default as groups } from './groups/groups-page.tsx';
export { default as group } from './groups/group-members-page.tsx';
export { default as settings } from './settings/settings-page.tsx';
export { default as tokens } from './tokens/list/tokens-page.tsx';
export { default as token } from './tokens/detail/token-page.tsx';
export { default as users } from './users/list/users-page.tsx';
export { default as user } from './users/detail/user-page.tsx';
export { default as importUsers } from './users/import/import-page.tsx';
export { default as webhooks } from './webhooks/webhooks-page.tsx';
export { default as webhook } from './webhooks/webhook-page.tsx';
export { default as newWebhook } from './webhooks/new-webhook-page.tsx';
