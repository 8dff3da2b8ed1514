import type { Event } from '../../client/index.ts';

export type Kind = Event['type'];

/** The kinds of events with their displayed names. */
export const KINDS: Record<Kind, string> = {
  'user.created': 'Users created',
  'user.updated': 'Users changed',
  'user.deleted': 'Users deleted',
  'user.restored': 'Users restored',
  'user.purged': 'Users purged',
  'group.created': 'Groups created',
  'group.updated': 'Groups changed',
  'group.deleted': 'Groups deleted',
  'group.member_added': 'Members added to groups',
  'group.member_removed': 'Members removed from groups',
  'token.created': 'Tokens created',
  'token.updated': 'Tokens changed',
  'token.rotated': 'Tokens rotated',
  'token.revoked': 'Tokens revoked',
  'token.expiring': 'Tokens about to expire',
  'token.expired': 'Tokens expired',
  'webhook.created': 'Webhooks created',
  'webhook.updated': 'Webhooks changed',
  'webhook.deleted': 'Webhooks deleted',
  'webhook.disabled': 'Webhooks disabled by the service',
  'organization.suspended': 'Organization suspended',
  'organization.resumed': 'Organization resumed',
};

/** What events are about, with the displayed names. */
export const AREAS = {
  user: 'Users',
  group: 'Groups',
  token: 'Tokens',
  webhook: 'Webhooks',
  organization: 'Organization',
} as const;

export type Area = keyof typeof AREAS;

/** The kinds of events about something. */
export const kindsOf = (area: string): Kind[] =>
  (Object.keys(KINDS) as Kind[]).filter((kind) => kind.startsWith(`${area}.`));

/** Something to filter by. */
export interface Named {
  id: string;
  name: string;
}
