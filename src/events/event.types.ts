/** Everything that events tell of. */
export const EVENT_TYPES = [
  'user.created',
  'user.updated',
  'user.deleted',
  'token.created',
  'token.revoked',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
