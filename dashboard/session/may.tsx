import type { ComponentChildren } from 'preact';
import type { Token } from '../../client/index.ts';
import { may } from './scopes.ts';
import { useSession } from './session.ts';

/** The sections that need less than `admin`. The first one leaves out what a token may not see. */
const READABLE = ['', 'users', 'groups', 'deleted'];

/** Whether a token may open a section of the dashboard. */
export const mayOpen = (token: Token, section: string): boolean =>
  may(token, READABLE.includes(section) ? 'users:read' : 'admin');

/** Shows something only to people who may do it. Whoever has signed in need not be an admin. */
export function May({ scope, children }: { scope: Token['scopes'][number]; children: ComponentChildren }) {
  return <>{may(useSession().token, scope) && children}</>;
}
