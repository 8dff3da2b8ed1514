import { describedBy, matcherOf } from '../filter/conditions';
import type { Operation } from './operations';
import { changeOf } from './patch-complex';
import { invalidValue } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type Complex, isAbsent, isPrimary, MAX_ELEMENTS, twoPrimaries, valueOf } from '../schema/values';

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
