const codeOf = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA, COLON] = [...'"\\,:'].map(codeOf);
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...'[]{}'].map(codeOf);
const SPACE = 32;

/** The limits of a body. A megabyte of a group's members has up to 65,000 values, and very few different keys. */
const MAX_VALUES = 70_000;
const MAX_KEYS = 15_000;

/**
 * The limit that JSON exceeds, in words. Its bytes tell: reading a megabyte takes a few milliseconds, but parsing and
 * checking one of empty objects or of different keys takes a hundred.
 */
export function excessOf(json: Buffer): string | undefined {
  const { values, keys } = sizeOf(json, MAX_KEYS);
  if (keys > MAX_KEYS) return `${MAX_KEYS} different keys`;
  return values > MAX_VALUES ? `${MAX_VALUES} values` : undefined;
}

/**
 * The number of values in JSON (objects, arrays and scalars, at every level) and of different keys. Ends beyond
 * `maxKeys`. Says nothing about text that is not JSON.
 */
export function sizeOf(json: Buffer, maxKeys: number): { values: number; keys: number } {
  const keys = new Set<string>();
  let values = 1;
  let previous = 0;
  let start = 0;
  let end = 0;
  for (let i = 0; i < json.length && keys.size <= maxKeys; i++) {
    const byte = json[i];
    if (byte <= SPACE) continue;
    if (byte === QUOTE) {
      start = i + 1;
      i = end = endOfString(json, i);
    } else if (byte === COLON) keys.add(json.toString('latin1', start, end));
    else if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) values++;
    else if (isEmpty(previous, byte)) values--;
    previous = byte;
  }
  return { values, keys: keys.size };
}

const isEmpty = (opened: number, closed: number) =>
  (closed === CLOSE_ARRAY && opened === OPEN_ARRAY) || (closed === CLOSE_OBJECT && opened === OPEN_OBJECT);

/** The index of the closing quote. */
function endOfString(json: Buffer, start: number): number {
  let i = start + 1;
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1;
  return i;
}
