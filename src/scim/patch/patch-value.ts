import { isObject } from '../../platform/http/input/checks';
import { describedBy, matcherOf } from '../filter/conditions';
import type { Operation } from './operations';
import {
  type Complex,
  isAbsent,
  isPrimary,
  isWritable,
  MAX_ELEMENTS,
  objectOf,
  twoPrimaries,
  unwrapped,
  type Value,
  valueOf,
} from '../schema/resource';
import { invalidValue } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';

/** The elements of a multi-valued attribute after an operation. */
export function patchedList(attribute: Attribute, old: Complex[], operation: Operation): Complex[] {
  const { conditions, sub } = operation.target;
  const list = (conditions || sub ? patchedElements : patchedWhole)(attribute, old, operation);
  // Checked after each operation, because the following ones read the whole list.
  if (list.length > Math.max(MAX_ELEMENTS, old.length))
    throw invalidValue(`${attribute.name} must have at most ${MAX_ELEMENTS} values`);
  return withOnePrimary(old, list);
}

/** RFC 7644: when an element becomes primary, the one before no longer is. */
function withOnePrimary(old: readonly Complex[], list: Complex[]): Complex[] {
  const promoted = list.find((element) => isPrimary(element) && !old.includes(element));
  if (!promoted) return list;
  return list.map((element) =>
    isPrimary(element) && element !== promoted ? { ...element, primary: false } : element,
  );
}

/** A list after an operation on it as a whole. */
function patchedWhole(attribute: Attribute, old: Complex[], { op, value }: Operation): Complex[] {
  if (isAbsent(value)) return [];
  const values = (valueOf(attribute, value) ?? []) as Complex[];
  if (op === 'replace') return values;
  if (op === 'remove') return without(old, values);
  const names = attribute.subAttributes!.map(({ name }) => name);
  const known = new Set(old.map((element) => identityOf(element, names)));
  const added = values.filter((value) => !known.has(identityOf(value, names)));
  return added.length > 0 ? [...old, ...added] : old;
}

/** Equal for elements with equal sub-attributes. Elements never change, and most stay from change to change. */
function identityOf(element: Complex, names: string[]): string {
  const identity = identities.get(element) ?? JSON.stringify(element, names);
  identities.set(element, identity);
  return identity;
}
const identities = new WeakMap<Complex, string>();

/** The elements that have the sub-attributes of none of the values. */
function without(old: readonly Complex[], values: readonly Complex[]): Complex[] {
  const removed = values.map((value) => Object.entries(value));
  return old.filter(
    (element) => !removed.some((parts) => parts.every(([name, part]) => element[name] === part)),
  );
}

/** Changes the elements that match the conditions. If none does, `add` and `replace` create the described element. */
function patchedElements(attribute: Attribute, old: Complex[], operation: Operation): Complex[] {
  const { conditions = [] } = operation.target;
  const described = describedBy(conditions);
  const { isRemoval, apply } = changeOf(attribute, operation, described);
  const isNamed = matcherOf(conditions);
  const named = old.filter(isNamed).length;
  if (named === 0) return isRemoval ? old : [...old, apply(described)!];
  if (named > 1 && isPrimary(apply({}) ?? {})) throw twoPrimaries(attribute);
  return old
    .map((element) => (isNamed(element) ? apply(element) : element))
    .filter((element) => element !== undefined);
}

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
