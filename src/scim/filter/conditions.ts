import { type Attribute } from '../schema/attribute';
import { subAttribute } from '../schema/resource-schema';
import type { Lexeme, Lexer } from './lexer';
import { type Complex } from '../schema/resource';

/** One `sub eq value` in the brackets after a multi-valued attribute. */
export interface Condition {
  sub: Attribute;
  value: string | boolean;
}

const MAX_CONDITIONS = 20;

/** Reads `type eq "work" and primary eq true]`, after the opening bracket. */
export function readConditions(lexer: Lexer, attribute: Attribute): Condition[] {
  const conditions: Condition[] = [];
  do {
    const sub = subAttribute(attribute, lexer.word());
    if (!sub || !attribute.multiValued) throw lexer.refuse(`${attribute.name} has no such sub-attribute`);
    lexer.expect('eq');
    conditions.push({ sub, value: literal(lexer, sub, lexer.next()) });
    if (conditions.length > MAX_CONDITIONS)
      throw lexer.refuse(`It has more than ${MAX_CONDITIONS} conditions`);
  } while (lexer.take('and'));
  lexer.expect(']');
  return conditions;
}

/** A literal of the attribute's type. Some directories send booleans as strings. */
export function literal(lexer: Lexer, { name, type }: Attribute, { kind, text }: Lexeme): string | boolean {
  if (type === 'boolean') {
    const lower = text.toLowerCase();
    if (kind !== 'mark' && (lower === 'true' || lower === 'false')) return lower === 'true';
    throw lexer.refuse(`${name} must be compared with true or false`);
  }
  if (kind !== 'string') throw lexer.refuse(`${name} must be compared with a quoted string`);
  return text;
}

/** Tells whether an element fulfils the conditions. */
export function matcherOf(conditions: readonly Condition[]): (element: Complex) => boolean {
  const tests = conditions.map(({ sub: { name, type, caseExact }, value }) => {
    // Absent counts as false, so `primary eq false` finds elements without `primary`.
    if (type === 'boolean') return (element: Complex) => (element[name] ?? false) === value;
    if (caseExact) return (element: Complex) => element[name] === value;
    const lower = String(value).toLowerCase();
    return (element: Complex) => {
      const own = element[name] as string | undefined;
      // In lower case, no text is shorter or more than twice as long. Some letters are slow to convert.
      if (own === undefined || own.length > lower.length || 2 * own.length < lower.length) return false;
      return own.toLowerCase() === lower;
    };
  });
  return (element) => tests.every((test) => test(element));
}

/** The element with exactly the values of the conditions. */
export const describedBy = (conditions: readonly Condition[]): Complex =>
  Object.fromEntries(conditions.map(({ sub, value }) => [sub.name, value]));
