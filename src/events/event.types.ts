/** All types of events. */
export const EVENT_TYPES = [
  'user.created',
  'user.updated',
  'user.deleted',
  'user.restored',
  'user.purged',
  'token.created',
  'token.rotated',
  'token.revoked',
  'token.leaked',
  'token.expiring',
  'token.expired',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
