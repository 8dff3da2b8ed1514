import { finish } from '../../fairness/give-way';

/** The line and the column of a character, counted from 1 in code points, or of the end of the text. */
interface Position {
  line: number;
  column: number;
  isEnd: boolean;
}

/**
 * Where text breaks off from being JSON: the position of its first character that is wrong, or of its end if that only
 * comes too early. Undefined for JSON. Only some messages of `JSON.parse()` name a position, and most quote the text.
 */
export const faultIn = (json: string): Promise<Position | undefined> => finish(stepsTo(json));

function* stepsTo(json: string): Generator<void, Position | undefined> {
  const index = yield* indexOfFault(json);
  if (index === undefined) return undefined;
  yield;
  return { ...positionOf(json, index), isEnd: index === json.length };
}

/** Lines end as in JSON's white space: with CR, LF or both. */
function positionOf(text: string, index: number) {
  let line = 1;
  let column = 1;
  for (let i = 0; i < index; i++) {
    const code = text.charCodeAt(i);
    if (code === LF || (code === CR && text.charCodeAt(i + 1) !== LF)) {
      line++;
      column = 1;
    } else if (code < 0xdc00 || code > 0xdfff) column++; // not for the second half of a code point
  }
  return { line, column };
}

const [LF, CR, SPACE, QUOTE, BACKSLASH] = [10, 13, 32, 34, 92];

/** A megabyte may take longer than a turn should. */
const CHARACTERS_PER_STEP = 16 * 1024;

/** What comes next. In place of the last three, the object or array may end. */
type Expected = 'value' | 'name' | 'colon' | 'first value' | 'first name' | 'comma';

const MAY_END: readonly Expected[] = ['first value', 'first name', 'comma'];

function* indexOfFault(json: string): Generator<void, number | undefined> {
  const reader = new Reader(json);
  const ends: string[] = [];
  let expected: Expected = 'value';
  for (;;) {
    if (reader.endsStep()) yield;
    reader.skipSpace();
    const end = ends.at(-1);
    let isRight = true;
    if (end !== undefined && MAY_END.includes(expected) && reader.skip(end)) {
      ends.pop();
      expected = 'comma';
    } else if (expected === 'comma') {
      if (end === undefined && reader.next === undefined) return undefined;
      isRight = end !== undefined && reader.skip(',');
      expected = end === '}' ? 'name' : 'value';
    } else if (expected === 'colon') {
      isRight = reader.skip(':');
      expected = 'value';
    } else if (expected === 'name' || expected === 'first name') {
      isRight = reader.skip('"') && (yield* reader.skipRestOfString());
      expected = 'colon';
    } else if (reader.skip('{')) {
      ends.push('}');
      expected = 'first name';
    } else if (reader.skip('[')) {
      ends.push(']');
      expected = 'first value';
    } else {
      isRight = reader.skip('"') ? yield* reader.skipRestOfString() : reader.skipLiteral();
      expected = 'comma';
    }
    if (!isRight) return reader.at;
  }
}

/** Moves through text. If something cannot be skipped as a whole, `at` is where it is wrong. */
class Reader {
  at = 0;
  private stepEnd = CHARACTERS_PER_STEP;

  constructor(private readonly text: string) {}

  endsStep(): boolean {
    if (this.at < this.stepEnd) return false;
    this.stepEnd = this.at + CHARACTERS_PER_STEP;
    return true;
  }

  /** Undefined at the end. */
  get next(): string | undefined {
    return this.text[this.at];
  }

  skip(character: string): boolean {
    return this.skipIf(this.next === character);
  }

  skipSpace(): void {
    while (this.skipOneOf(' \n\r\t'));
  }

  *skipRestOfString(): Generator<void, boolean> {
    for (;;) {
      if (this.endsStep()) yield;
      let code = this.text.charCodeAt(this.at);
      while (code >= SPACE && code !== QUOTE && code !== BACKSLASH) code = this.text.charCodeAt(++this.at);
      if (code !== BACKSLASH) return this.skip('"'); // otherwise it is a control character, or the end
      if (!this.skipEscape()) return false;
    }
  }

  skipLiteral(): boolean {
    const word = WORDS.find(([first]) => first === this.next);
    return word === undefined ? this.skipNumber() : [...word].every((letter) => this.skip(letter));
  }

  private skipNumber(): boolean {
    this.skip('-');
    if (!this.skip('0') && !this.skipDigits()) return false;
    if (this.skip('.') && !this.skipDigits()) return false;
    if (!this.skipOneOf('eE')) return true;
    this.skipOneOf('+-');
    return this.skipDigits();
  }

  private skipDigits(): boolean {
    const start = this.at;
    while (this.skipOneOf('0123456789'));
    return this.at > start;
  }

  private skipEscape(): boolean {
    this.skip('\\');
    if (!this.skip('u')) return this.skipOneOf('"\\/bfnrt');
    return [1, 2, 3, 4].every(() => this.skipOneOf('0123456789abcdefABCDEF'));
  }

  private skipOneOf(characters: string): boolean {
    return this.skipIf(this.next !== undefined && characters.includes(this.next));
  }

  private skipIf(isRight: boolean): boolean {
    if (isRight) this.at++;
    return isRight;
  }
}

const WORDS = ['true', 'false', 'null'];
