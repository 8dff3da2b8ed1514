/** The kinds of things that events are about, with the prefixes of their ids. */
export const EVENT_TARGETS = {
  user: 'usr',
  group: 'grp',
  token: 'tok',
  webhook: 'whk',
  organization: 'org',
} as const;

/** All types of events, each of a kind above. */
export const EVENT_TYPES = [
  'user.created',
  'user.updated',
  'user.deleted',
  'user.restored',
  'user.purged',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.member_added',
  'group.member_removed',
  'token.created',
  'token.updated',
  'token.rotated',
  'token.revoked',
  'token.expiring',
  'token.expired',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.disabled',
  'organization.suspended',
  'organization.resumed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
