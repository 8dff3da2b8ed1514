import { type Condition, describedBy, matcherOf } from '../filter/conditions';
import { type Change, partsOf, withSub } from './patch-complex';
import type { Target } from './path';
import { invalidValue } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import {
  type Complex,
  isAbsent,
  isPrimary,
  MAX_ELEMENTS,
  twoPrimaries,
  unwrapped,
  type Value,
  valueOf,
} from '../schema/values';

/** The elements of a multi-valued attribute after a change. */
export function patchedList(
  attribute: Attribute,
  old: readonly Complex[],
  { conditions, sub }: Target,
  change: Change,
): readonly Complex[] {
  const list =
    conditions || sub
      ? patchedElements(attribute, old, conditions ?? [], sub, change)
      : patchedWhole(attribute, old, change);
  // Checked after each operation, because the following ones read the whole list.
  if (list.length > Math.max(MAX_ELEMENTS, old.length))
    throw invalidValue(`${attribute.name} must have at most ${MAX_ELEMENTS} values`);
  return withOnePrimary(old, list);
}

/** RFC 7644: when an element becomes primary, the one before no longer is. */
function withOnePrimary(old: readonly Complex[], list: readonly Complex[]): readonly Complex[] {
  const promoted = list.find((element) => isPrimary(element) && !old.includes(element));
  if (!promoted) return list;
  return list.map((element) =>
    isPrimary(element) && element !== promoted ? { ...element, primary: false } : element,
  );
}

function patchedWhole(
  attribute: Attribute,
  old: readonly Complex[],
  { op, given }: Change,
): readonly Complex[] {
  if (isAbsent(given)) return [];
  const values = (valueOf(attribute, given) ?? []) as Complex[];
  if (op === 'replace') return values;
  if (op === 'remove') return without(old, values);
  const names = attribute.subAttributes!.map(({ name }) => name);
  const known = new Set(old.map((element) => keyOf(element, names)));
  const added = values.filter((value) => !known.has(keyOf(value, names)));
  return added.length > 0 ? [...old, ...added] : old;
}

/** The same for elements with the same sub-attributes. Elements never change, and most stay from change to change. */
function keyOf(element: Complex, names: string[]): string {
  const key = keys.get(element) ?? JSON.stringify(element, names);
  keys.set(element, key);
  return key;
}
const keys = new WeakMap<Complex, string>();

/** The elements that have the sub-attributes of none of the values. */
function without(old: readonly Complex[], values: readonly Complex[]): Complex[] {
  const removed = values.map((value) => Object.entries(value));
  return old.filter(
    (element) => !removed.some((parts) => parts.every(([name, part]) => element[name] === part)),
  );
}

/**
 * Changes the elements that match the conditions. If none matches, `add` and `replace` create the described element.
 */
function patchedElements(
  attribute: Attribute,
  old: readonly Complex[],
  conditions: readonly Condition[],
  sub: Attribute | undefined,
  { op, given, isWhole }: Change,
): readonly Complex[] {
  const isNamed = matcherOf(conditions);
  const value = op === 'remove' ? undefined : sub ? valueOf(sub, given) : unwrapped(attribute, given);
  if (isAbsent(value))
    return sub
      ? old.map((element) => (isNamed(element) ? withSub(element, sub, undefined) : element))
      : old.filter((element) => !isNamed(element));

  const parts = sub ? [[sub, value as Value] as const] : partsOf(attribute, value);
  const changed = (element: Complex): Complex =>
    parts.reduce((changing, [part, partValue]) => withSub(changing, part, partValue), element);
  const described = describedBy(conditions);
  const whole = isWhole && !sub ? changed(described) : undefined;
  if (!old.some(isNamed)) return [...old, whole ?? changed(described)];
  if (isPrimary(whole ?? changed({})) && old.filter(isNamed).length > 1) throw twoPrimaries(attribute);
  return old.map((element) => (isNamed(element) ? (whole ?? changed(element)) : element));
}
