import type { Event } from '../../client/index.ts';

export type Kind = Event['type'];

/** The kinds of events with their displayed names. */
export const KINDS: Record<Kind, string> = {
  'user.created': 'Users created',
  'user.updated': 'Users changed',
  'user.deleted': 'Users deleted',
  'token.created': 'Tokens created',
  'token.revoked': 'Tokens revoked',
};

/** Something to filter by. */
export interface Named {
  id: string;
  name: string;
}
