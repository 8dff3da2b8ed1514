import type { Event } from '../../client/index.ts';

export type Kind = Event['type'];

/** The kinds of events with their displayed names. */
export const KINDS: Record<Kind, string> = {
  'user.created': 'Users created',
  'user.updated': 'Users changed',
  'user.deleted': 'Users deleted',
  'user.restored': 'Users restored',
  'user.purged': 'Users purged',
  'token.created': 'Tokens created',
  'token.rotated': 'Tokens rotated',
  'token.revoked': 'Tokens revoked',
  'token.leaked': 'Tokens leaked',
  'token.expiring': 'Tokens about to expire',
  'token.expired': 'Tokens expired',
};

/** Something to filter by. */
export interface Named {
  id: string;
  name: string;
}
