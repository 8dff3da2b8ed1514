import type { ComponentChildren } from 'preact';
import { may, type Scope } from './scopes.ts';
import { useSession } from './session.ts';

/** Shows something only to people who may do it. Whoever has signed in need not be an admin. */
export function May({ scope, children }: { scope: Scope; children: ComponentChildren }) {
  return <>{may(useSession().token, scope) && children}</>;
}
