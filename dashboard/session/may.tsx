import type { ComponentChildren } from 'preact';
import type { Token } from '../../client/index.ts';
import { useSession } from './session.ts';

export type Scope = Token['scopes'][number];

/** Whether the token may do what requires the scope. */
export const may = ({ scopes }: Pick<Token, 'scopes'>, scope: Scope): boolean =>
  scopes.includes('admin') || scopes.includes(scope);

/** Shows something only to people who may do it. Whoever has signed in need not be an admin. */
export function May({ scope, children }: { scope: Scope; children: ComponentChildren }) {
  return <>{may(useSession().token, scope) && children}</>;
}
