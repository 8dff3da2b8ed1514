import { type Condition, described, matches } from '../filter/conditions';
import { type Change, merged, withSub } from './patch-complex';
import type { Target } from './path';
import { invalidValue } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type Complex, isAbsent, MAX_ELEMENTS, unwrapped, valueOf } from '../schema/values';

/** The elements of a multi-valued attribute after a change. */
export function patchedList(
  attribute: Attribute,
  old: readonly Complex[],
  { conditions, sub }: Target,
  change: Change,
): Complex[] {
  const list =
    conditions || sub
      ? patchedElements(attribute, old, conditions ?? [], sub, change)
      : patchedWhole(attribute, old, change);
  // Checked after each operation, because the following ones read the whole list.
  if (list.length > Math.max(MAX_ELEMENTS, old.length))
    throw invalidValue(`${attribute.name} must have at most ${MAX_ELEMENTS} values`);
  return list;
}

function patchedWhole(attribute: Attribute, old: readonly Complex[], { op, given }: Change): Complex[] {
  if (isAbsent(given)) return [];
  const values = (valueOf(attribute, given) ?? []) as Complex[];
  if (op === 'replace') return values;
  if (op === 'remove') return old.filter((element) => !values.some((value) => includes(element, value)));
  const names = attribute.subAttributes!.map(({ name }) => name);
  const keyOf = (element: Complex) => JSON.stringify(element, names);
  const known = new Set(old.map(keyOf));
  const added = values.filter((value) => !known.has(keyOf(value)));
  return [...(hasPrimary(added) ? old.map(demoted) : old), ...added];
}

const includes = (element: Complex, value: Complex) =>
  Object.entries(value).every(([name, part]) => element[name] === part);

/**
 * Changes the elements that match the conditions. If none matches, `add` and `replace` create the described element.
 */
function patchedElements(
  attribute: Attribute,
  old: readonly Complex[],
  conditions: readonly Condition[],
  sub: Attribute | undefined,
  { op, given, isWhole }: Change,
): Complex[] {
  const isNamed = (element: Complex) => matches(element, conditions);
  const value = op === 'remove' ? undefined : sub ? valueOf(sub, given) : unwrapped(attribute, given);
  if (isAbsent(value))
    return sub
      ? old.map((element) => (isNamed(element) ? withSub(element, sub, undefined) : element))
      : old.filter((element) => !isNamed(element));

  const changed = (element: Complex): Complex => {
    if (sub) return withSub(element, sub, value as string | boolean);
    return merged(attribute, isWhole ? described(conditions) : element, value);
  };
  if (!old.some(isNamed)) {
    const made = changed(described(conditions));
    return [...(hasPrimary([made]) ? old.map(demoted) : old), made];
  }
  const list = old.map((element) => (isNamed(element) ? changed(element) : element));
  const promoted = list.filter((element, i) => element.primary === true && old[i].primary !== true);
  return promoted.length
    ? list.map((element) => (promoted.includes(element) ? element : demoted(element)))
    : list;
}

const hasPrimary = (elements: readonly Complex[]) => elements.some(({ primary }) => primary === true);

/** RFC 7644: when another element becomes primary, this one no longer is. */
const demoted = (element: Complex): Complex =>
  element.primary === true ? { ...element, primary: false } : element;
