import { isObject } from '../../platform/http/input/checks';
import { isReadOnly, type Operation, operationsOf } from './operations';
import { patchedComplex, patchedList } from './patch-value';
import {
  type Complex,
  extensionOf,
  hasSubstance,
  isAbsent,
  isWritable,
  type Resource,
  type Value,
  valueOf,
} from '../schema/resource';
import { invalidValue, mutability } from '../schema/scim-error';
import { type Attribute } from '../schema/attribute';
import { type ResourceSchema, resolveInExtension } from '../schema/resource-schema';

/**
 * Returns the resource after the operations of a PATCH, in order. Yields after each of them. `resource` itself is not
 * changed, so a failure has no effect. Both are normalized.
 */
export function* applyPatch(
  schema: ResourceSchema,
  resource: Resource,
  body: unknown,
): Generator<void, Resource> {
  const patched = structuredClone(resource);
  for (const operation of operationsOf(schema, body)) {
    if (operation) apply(schema, patched, operation);
    yield;
  }
  const { id } = schema.extension ?? {};
  if (id && patched[id]) patched[id] = withoutEmpty(patched[id] as Complex);
  return withoutEmpty(patched);
}

function apply(schema: ResourceSchema, resource: Resource, operation: Operation): void {
  const { target } = operation;
  const { extension, attribute, sub } = target;
  if (!attribute) return applyToExtension(schema, resource, operation);
  if (isReadOnly(target)) throw mutability(`${(sub ?? attribute).name} is read-only`);
  if (!isWritable(attribute)) return; // a password
  const container = extension ? extensionOf(resource, extension) : resource;
  const value = patchedValue(schema, attribute, container[attribute.name], operation);
  if (value === undefined) delete container[attribute.name];
  else container[attribute.name] = value;
}

/** The value of an attribute after an operation. */
function patchedValue(
  schema: ResourceSchema,
  attribute: Attribute,
  old: Value | undefined,
  operation: Operation,
): Value | undefined {
  if (attribute.multiValued) return patchedList(attribute, (old ?? []) as Complex[], operation);
  if (attribute.type === 'complex') return patchedComplex(attribute, (old ?? {}) as Complex, operation);
  const value = operation.op === 'remove' ? undefined : valueOf(attribute, operation.value);
  if (value === undefined && schema.irremovable.includes(attribute.name))
    throw invalidValue(`${attribute.name} cannot be removed`);
  return value;
}

function applyToExtension(
  schema: ResourceSchema,
  resource: Resource,
  { op, value, isWhole }: Operation,
): void {
  const { id } = schema.extension!;
  const isRemoved = op === 'remove' || isAbsent(value);
  if (isRemoved || isWhole) delete resource[id];
  if (isRemoved) return;
  if (!isObject(value)) throw invalidValue(`${id} must be an object`);
  for (const [name, part] of Object.entries(value)) {
    const target = resolveInExtension(schema, name);
    if (target && !isReadOnly(target)) apply(schema, resource, { op, target, value: part, isWhole: false });
  }
}

/** Runs after all operations, because one may set an element's type before another sets its value. */
function withoutEmpty(container: Complex): Complex {
  const values = Object.entries(container).map(([name, value]) => {
    return [name, Array.isArray(value) ? (value as Complex[]).filter(hasSubstance) : value] as const;
  });
  return Object.fromEntries(
    values.filter(([, value]) => typeof value !== 'object' || hasSubstance(value as Complex)),
  );
}
