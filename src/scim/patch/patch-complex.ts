import { isObject } from '../../http/input/checks';
import type { Operation } from './operations';
import { type Attribute } from '../schema/attribute';
import { isWritable } from '../schema/resource';
import { type Complex, isAbsent, objectOf, unwrapped, type Value, valueOf } from '../schema/values';

/** A single complex value after an operation on it or on one of its sub-attributes; undefined if it is removed. */
export const patchedComplex = (attribute: Attribute, old: Complex, operation: Operation) =>
  changeOf(attribute, operation).apply(old);

/** The effect of an operation on a complex value, or on an element of a list. */
interface Change {
  isRemoval: boolean;
  /** Returns another value, or the same if nothing changes; undefined if it is removed. */
  apply(old: Complex): Complex | undefined;
}

/** A value that is replaced keeps nothing but the sub-attributes of `described`. */
export function changeOf(
  attribute: Attribute,
  { op, target: { sub }, value, isWhole }: Operation,
  described: Complex = {},
): Change {
  const one = op === 'remove' ? undefined : unwrapped(sub ?? attribute, value);
  if (isAbsent(one)) return { isRemoval: true, apply: (old) => sub && withParts(old, [[sub, undefined]]) };
  const parts: Part[] = sub ? [[sub, valueOf(sub, one)]] : partsOf(attribute, one);
  // The bare id of another manager does not keep the name of the one before.
  const whole = !sub && (isWhole || !isObject(one)) ? withParts(described, parts) : undefined;
  return { isRemoval: false, apply: (old) => whole ?? withParts(old, parts) };
}

/** A sub-attribute and its new value; undefined removes it. */
type Part = [sub: Attribute, value: Value | undefined];

/** The writable sub-attributes in an object. */
function partsOf(attribute: Attribute, value: unknown): Part[] {
  const subs = new Map(attribute.subAttributes!.map((sub) => [sub.name.toLowerCase(), sub]));
  return Object.entries(objectOf(attribute, value)).flatMap(([name, part]): Part[] => {
    const sub = subs.get(name.toLowerCase());
    return sub && isWritable(sub) ? [[sub, valueOf(sub, part)]] : [];
  });
}

const withParts = (old: Complex, parts: readonly Part[]): Complex =>
  parts.reduce((value, [{ name }, part]) => {
    if (value[name] === part) return value;
    if (part !== undefined) return { ...value, [name]: part };
    const { [name]: _removed, ...others } = value;
    return others;
  }, old);
