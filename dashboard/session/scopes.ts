import type { Token } from '../../client/index.ts';

export type Scope = Token['scopes'][number];

/** Whether the token may do what requires the scope. */
export const may = ({ scopes }: Pick<Token, 'scopes'>, scope: Scope): boolean =>
  scopes.includes('admin') || scopes.includes(scope);
