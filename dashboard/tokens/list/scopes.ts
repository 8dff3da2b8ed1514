import type { Scope } from '../../session/scopes.ts';

/** The scopes and what they allow. */
export const SCOPES: [Scope, string][] = [
  ['users:read', 'Read, list and search users.'],
  ['users:write', 'Create users and change their name, email, role and metadata.'],
  ['users:delete', 'Delete users.'],
  ['admin', 'Full access: all of the above, plus creating and revoking API tokens.'],
];
