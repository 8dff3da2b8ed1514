import { type Condition, describedBy, matcherOf } from '../filter/conditions';
import { type Change, partsOf, withSub } from './patch-complex';
import type { Target } from './path';
import { invalidValue } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type Complex, isAbsent, MAX_ELEMENTS, unwrapped, type Value, valueOf } from '../schema/values';

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
  return list;
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
  if (added.length === 0) return old;
  return [...(hasPrimary(added) ? old.map(demoted) : old), ...added];
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
  if (!old.some(isNamed)) {
    const made = whole ?? changed(described);
    return [...(hasPrimary([made]) ? old.map(demoted) : old), made];
  }
  const list = old.map((element) => (isNamed(element) ? (whole ?? changed(element)) : element));
  const isPromoted = (element: Complex, i: number) => element.primary === true && old[i].primary !== true;
  return list.some(isPromoted)
    ? list.map((element, i) => (isPromoted(element, i) ? element : demoted(element)))
    : list;
}

const hasPrimary = (elements: readonly Complex[]) => elements.some(({ primary }) => primary === true);

/** RFC 7644: when another element becomes primary, this one no longer is. */
const demoted = (element: Complex): Complex =>
  element.primary === true ? { ...element, primary: false } : element;
