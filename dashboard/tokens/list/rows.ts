import type { Token } from '../../../client/index.ts';

/** A token in the list. */
export interface Listed extends Token {
  /** Why it stands below another one: that one replaces it, or has issued it; or the whole list is of that one. */
  below?: 'replacement' | 'parent' | 'filter';
  /** How many tokens it has issued that belong below it, and whether they are shown. */
  issued: number;
  isOpen: boolean;
}

/** As many issued tokens are always shown. */
export const FEW = 3;

/**
 * The tokens of a page in order, each with the token that it replaces below it while that one still works, and those
 * that it has issued. Some of them may be `elsewhere`.
 */
export function rowsOf(tokens: Token[], elsewhere: Token[], opened: ReadonlySet<string>): Listed[] {
  const byId = new Map([...elsewhere, ...tokens].map((token) => [token.id, token]));
  const isOnPage = new Set(tokens.map(({ id }) => id));
  const listed = new Map<string, Listed>();
  const add = (token: Token, below?: Listed['below']) => {
    if (listed.has(token.id)) return;
    const issued = tokens.filter(({ parentId }) => parentId === token.id);
    const isOpen = issued.length <= FEW || opened.has(token.id);
    listed.set(token.id, { ...token, below, issued: issued.length, isOpen });
    if (isOpen) for (const child of issued) add(child, 'parent');
    const old = token.rotatedFrom && byId.get(token.rotatedFrom);
    if (old && old.state === 'active') add(old, 'replacement');
  };
  for (const token of tokens) {
    const parent = token.parentId === null ? undefined : byId.get(token.parentId);
    if (!parent) add(token);
    else if (!isOnPage.has(parent.id)) add(parent);
  }
  return [...listed.values()];
}
