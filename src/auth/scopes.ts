/** What a token may do. `admin` is full access; nothing else implies anything else. */
export const SCOPES = ['users:read', 'users:write', 'users:delete', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const allows = (granted: readonly Scope[], needed: readonly Scope[]) =>
  granted.includes('admin') || needed.every((scope) => granted.includes(scope));
