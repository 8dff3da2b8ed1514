import type { Token } from '../../client/index.ts';

export type Scope = Token['scopes'][number];

/** What a scope allows, in one sentence. */
export const SCOPES: [Scope, string][] = [
  ['users:read', 'Read, list and search the users of the organization.'],
  ['users:write', 'Create users and change their name, email, role and metadata.'],
  ['users:delete', 'Delete users for good.'],
  ['admin', 'Full access: everything above, and creating and revoking API tokens.'],
];
