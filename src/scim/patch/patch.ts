import { findPath, isTargetWritable, parsePath, type Target } from './path';
import { operationsOf } from './patch-body';
import { type Change, patchedComplex } from './patch-complex';
import { patchedList } from './patch-list';
import { extensionOf, isWritable, type Resource } from '../schema/resource';
import { invalidValue, mutability } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type ResourceSchema, resolveInExtension } from '../schema/resource-schema';
import { type Complex, hasSubstance, isAbsent, isObject, type Value, valueOf } from '../schema/values';

/**
 * Returns the resource after the operations of a PATCH, in order. Yields after each change. `resource` itself is not
 * changed, so a failure has no effect. Both are normalized.
 */
export function* applyPatch(
  schema: ResourceSchema,
  resource: Resource,
  body: unknown,
): Generator<void, Resource> {
  const patched = structuredClone(resource);
  for (const { op, path, given } of operationsOf(body)) {
    if (path === undefined) {
      // Each key is a path. Unknown and read-only attributes are ignored.
      for (const [key, part] of Object.entries(given as Record<string, unknown>)) {
        const target = findPath(schema, key);
        if (target && isTargetWritable(target))
          applyAt(schema, patched, target, { op, given: part, isWhole: false });
        yield;
      }
    } else {
      applyAt(schema, patched, parsePath(schema, path), { op, given, isWhole: op === 'replace' });
      yield;
    }
  }
  removeEmpty(schema, patched);
  return patched;
}

function applyAt(schema: ResourceSchema, resource: Resource, target: Target, change: Change): void {
  const { extension, attribute, sub } = target;
  if (!attribute) return applyToExtension(schema, resource, change);
  if (!isTargetWritable(target)) throw mutability(`${(sub ?? attribute).name} is read-only`);
  if (!isWritable(attribute)) return; // a password
  const container = extension ? extensionOf(resource, extension) : resource;
  const value = patchedValue(schema, attribute, container[attribute.name], target, change);
  if (value === undefined) delete container[attribute.name];
  else container[attribute.name] = value;
}

function patchedValue(
  schema: ResourceSchema,
  attribute: Attribute,
  old: Value | undefined,
  target: Target,
  change: Change,
): Value | undefined {
  if (attribute.multiValued)
    return patchedList(attribute, (old ?? []) as Complex[], target, change) as Complex[];
  if (attribute.type === 'complex')
    return patchedComplex(attribute, (old ?? {}) as Complex, target.sub, change);
  const value = change.op === 'remove' ? undefined : valueOf(attribute, change.given);
  if (value === undefined && schema.irremovable.includes(attribute.name))
    throw invalidValue(`${attribute.name} cannot be removed`);
  return value;
}

function applyToExtension(schema: ResourceSchema, resource: Resource, change: Change): void {
  const { id } = schema.extension!;
  const { op, given: extension, isWhole } = change;
  if (op === 'remove' || isAbsent(extension) || isWhole) delete resource[id];
  if (op === 'remove' || isAbsent(extension)) return;
  if (!isObject(extension)) throw invalidValue(`${id} must be an object`);
  for (const [name, given] of Object.entries(extension)) {
    const target = resolveInExtension(schema, name);
    if (target && isTargetWritable(target)) applyAt(schema, resource, target, { op, given, isWhole: false });
  }
}

/** Runs after all operations, because one may set an element's type before another sets its value. */
function removeEmpty(schema: ResourceSchema, resource: Resource): void {
  const { id, attributes } = schema.extension ?? { id: '', attributes: [] };
  const extension = resource[id] as Complex | undefined;
  if (extension) {
    removeEmptyIn(extension, attributes);
    if (!Object.keys(extension).length) delete resource[id];
  }
  removeEmptyIn(resource, schema.core.attributes);
}

function removeEmptyIn(container: Complex, attributes: readonly Attribute[]): void {
  for (const { name, type, multiValued } of attributes) {
    const value = container[name];
    if (type !== 'complex' || value === undefined) continue;
    const elements = ([] as Complex[]).concat(value as Complex).filter(hasSubstance);
    if (!elements.length) delete container[name];
    else if (multiValued) container[name] = elements;
  }
}
