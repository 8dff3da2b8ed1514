import type { ScimError } from '../schema/scim-error';

/** A word is a name, an operator or a literal; the rest is a string or one of ( ) [ ]. */
export type Lexeme = { kind: 'word' | 'string' | 'mark'; text: string };

const LEXEME = /\s*(?:([\w.$][\w.$:-]*)|("(?:[^"\\]|\\.)*")|([()[\]]))/y;

/** Reads the names, operators and literals of a filter or of a path, from left to right. */
export class Lexer {
  private readonly lexemes: Lexeme[] = [];
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
      LEXEME.lastIndex = end;
      const match = LEXEME.exec(rest);
      if (!match) throw refuse('It has an unexpected character');
      const [, word, quoted, mark] = match;
      if (word !== undefined) this.lexemes.push({ kind: 'word', text: word });
      else if (mark !== undefined) this.lexemes.push({ kind: 'mark', text: mark });
      else this.lexemes.push({ kind: 'string', text: this.unquoted(quoted) });
      end = LEXEME.lastIndex;
    }
  }

  next(): Lexeme {
    const lexeme = this.lexemes[this.position++];
    if (!lexeme) throw this.refuse('It ends too early');
    return lexeme;
  }

  word(): string {
    const { kind, text } = this.next();
    if (kind !== 'word') throw this.refuse('A name or an operator was expected');
    return text;
  }

  /** Consumes the mark or keyword if it is the next token. */
  take(text: string): boolean {
    const lexeme = this.lexemes[this.position];
    const isNext = lexeme !== undefined && lexeme.kind !== 'string' && lexeme.text.toLowerCase() === text;
    if (isNext) this.position++;
    return isNext;
  }

  /** Consumes the sub-attribute after `]`, such as `.value`. */
  takeSub(): string | undefined {
    const lexeme = this.lexemes[this.position];
    if (lexeme?.kind !== 'word' || !lexeme.text.startsWith('.')) return undefined;
    this.position++;
    return lexeme.text.slice(1);
  }

  expect(text: string): void {
    if (!this.take(text)) throw this.refuse(`${text} was expected`);
  }

  get isAtEnd(): boolean {
    return this.position >= this.lexemes.length;
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
