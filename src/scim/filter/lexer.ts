import type { ScimError } from '../schema/scim-error';

/** A word is a name, an operator or a literal; the rest is a string or one of ( ) [ ]. */
export type Token = { kind: 'word' | 'string' | 'mark'; text: string };

const TOKEN = /\s*(?:([\w.$][\w.$:-]*)|("(?:[^"\\]|\\.)*")|([()[\]]))/y;

/** The tokens of a filter or of a path, read from left to right. */
export class Tokens {
  private readonly tokens: Token[] = [];
  private position = 0;

  /** `refuse` creates the error for a malformed text. */
  constructor(
    text: string,
    maxLength: number,
    readonly refuse: (detail: string) => ScimError,
  ) {
    if (text.length > maxLength) throw refuse(`It must have at most ${maxLength} characters`);
    const rest = text.trimEnd();
    let end = 0;
    while (end < rest.length) {
      TOKEN.lastIndex = end;
      const match = TOKEN.exec(rest);
      if (!match) throw refuse('It has an unexpected character');
      const [, word, quoted, mark] = match;
      if (word !== undefined) this.tokens.push({ kind: 'word', text: word });
      else if (mark !== undefined) this.tokens.push({ kind: 'mark', text: mark });
      else this.tokens.push({ kind: 'string', text: this.unquoted(quoted) });
      end = TOKEN.lastIndex;
    }
  }

  next(): Token {
    const token = this.tokens[this.position++];
    if (!token) throw this.refuse('It ends too early');
    return token;
  }

  word(): string {
    const { kind, text } = this.next();
    if (kind !== 'word') throw this.refuse('A name or an operator was expected');
    return text;
  }

  /** Consumes the mark or keyword if it is the next token. */
  take(text: string): boolean {
    const token = this.tokens[this.position];
    const isNext = token !== undefined && token.kind !== 'string' && token.text.toLowerCase() === text;
    if (isNext) this.position++;
    return isNext;
  }

  /** Consumes the sub-attribute after `]`, such as `.value`. */
  takeSub(): string | undefined {
    const token = this.tokens[this.position];
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return undefined;
    this.position++;
    return token.text.slice(1);
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.refuse(`${text} was expected`);
  }

  get isAtEnd(): boolean {
    return this.position >= this.tokens.length;
  }

  expectEnd(): void {
    if (!this.isAtEnd) throw this.refuse('It continues after its end');
  }

  private unquoted(quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.refuse('It has a string that is not valid JSON');
    }
  }
}
