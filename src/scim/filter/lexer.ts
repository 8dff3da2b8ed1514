import type { ScimError } from '../schema/scim-error';

/** A word is a name, an operator or a literal; the rest is a string or one of ( ) [ ]. */
export type Lexeme = { kind: 'word' | 'string' | 'mark'; text: string };

const LEXEME = /\s*(?:([\w.$][\w.$:-]*)|("(?:[^"\\]|\\.)*")|([()[\]]))/y;

/**
 * Reads the names, operators and literals of a filter or of a path, from left to right, and no further than it is asked
 * for: a body may have a thousand long paths.
 */
export class Lexer {
  private readonly text: string;
  private end = 0;
  private following: Lexeme | undefined;

  /** `refuse` creates the error for a malformed text. */
  constructor(
    text: string,
    maxLength: number,
    readonly refuse: (detail: string) => ScimError,
  ) {
    if (text.length > maxLength) throw refuse(`It must have at most ${maxLength} characters`);
    this.text = text.trimEnd();
  }

  next(): Lexeme {
    const lexeme = this.peek();
    if (!lexeme) throw this.refuse('It ends too early');
    this.following = undefined;
    return lexeme;
  }

  word(): string {
    const { kind, text } = this.next();
    if (kind !== 'word') throw this.refuse('A name or an operator was expected');
    return text;
  }

  /** Consumes the mark or keyword if it is the next token. */
  take(text: string): boolean {
    const lexeme = this.peek();
    const isNext = lexeme !== undefined && lexeme.kind !== 'string' && lexeme.text.toLowerCase() === text;
    if (isNext) this.following = undefined;
    return isNext;
  }

  /** Consumes the sub-attribute after `]`, such as `.value`. */
  takeSub(): string | undefined {
    const lexeme = this.peek();
    if (lexeme?.kind !== 'word' || !lexeme.text.startsWith('.')) return undefined;
    this.following = undefined;
    return lexeme.text.slice(1);
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.refuse(`${text} was expected`);
  }

  expectEnd(): void {
    if (this.peek()) throw this.refuse('It continues after its end');
  }

  /** Undefined at the end. */
  private peek(): Lexeme | undefined {
    if (this.following || this.end >= this.text.length) return this.following;
    LEXEME.lastIndex = this.end;
    const match = LEXEME.exec(this.text);
    if (!match) throw this.refuse('It has an unexpected character');
    this.end = LEXEME.lastIndex;
    const [, word, quoted, mark] = match;
    if (word !== undefined) this.following = { kind: 'word', text: word };
    else if (mark !== undefined) this.following = { kind: 'mark', text: mark };
    else this.following = { kind: 'string', text: this.unquoted(quoted) };
    return this.following;
  }

  private unquoted(quoted: string): string {
    try {
      return JSON.parse(quoted) as string;
    } catch {
      throw this.refuse('It has a string that is not valid JSON');
    }
  }
}
