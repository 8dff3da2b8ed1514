import { hasCharacters, isObject } from '../../platform/http/input/checks';
import { type Attribute } from './attribute';
import { type ResourceSchema, type Reference, resolve, resolveInExtension } from './resource-schema';
import { invalidSyntax, invalidValue } from './scim-error';

/** The writable part of a resource: canonical names → values. */
export type Resource = Complex;

const MAX_BYTES = 16 * 1024;

/**
 * The writable attributes in the body of a POST or PUT, by their canonical names. Unknown and read-only attributes are
 * left out; null, "" and [] count as absent. Throws 400 `invalidValue` for a wrong type or a missing mandatory one.
 */
export function normalize(schema: ResourceSchema, body: unknown): Resource {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  const resource: Resource = {};
  for (const name of Object.keys(body)) {
    const reference = resolve(schema, name);
    if (reference?.extension && !reference.attribute) writeExtension(schema, resource, body[name]);
    else if (reference) write(resource, reference, body[name]);
  }
  for (const name of schema.mandatory) {
    if (resource[name] === undefined) throw invalidValue(`${name} is required`);
  }
  return resource;
}

function writeExtension(schema: ResourceSchema, resource: Resource, given: unknown): void {
  const { id } = schema.extension!;
  if (isAbsent(given)) return;
  if (!isObject(given)) throw invalidValue(`${id} must be an object`);
  for (const [name, part] of Object.entries(given)) {
    const reference = resolveInExtension(schema, name);
    if (reference) write(resource, reference, part);
  }
}

function write(resource: Resource, { extension, attribute, sub }: Reference, given: unknown): void {
  if (!attribute || sub || !isWritable(attribute)) return;
  const value = valueOf(attribute, given);
  if (value === undefined) return;
  const container = extension ? extensionOf(resource, extension) : resource;
  container[attribute.name] = value;
}

export const isWritable = ({ mutability }: Attribute) => mutability === 'readWrite';

/** The extension's part of the resource, created if it is absent. */
export const extensionOf = (resource: Resource, urn: string): Complex => (resource[urn] ??= {}) as Complex;

/**
 * Limits the attributes of a user. Attributes that have not changed may exceed the limits, because a change through the
 * API may have made them larger.
 */
export function refuseLarge(resource: Resource, old: Resource = {}): void {
  for (const [name, value] of Object.entries(resource)) {
    if (lengthOf(value) > Math.max(MAX_ELEMENTS, lengthOf(old[name])))
      throw invalidValue(`${name} must have at most ${MAX_ELEMENTS} values`);
  }
  if (sizeOf(resource) > Math.max(MAX_BYTES, sizeOf(old)))
    throw invalidValue('The attributes must have at most 16 KB as JSON');
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const sizeOf = (resource: Resource) => Buffer.byteLength(JSON.stringify(resource));

export type Value = string | boolean | Complex | Complex[] | string[];
/** A complex value, and a resource: canonical names → values. */
export interface Complex {
  [name: string]: Value;
}

/** The maximum number of elements in a multi-valued attribute of a user. */
export const MAX_ELEMENTS = 200;

/** RFC 7643 makes no difference between absent and null; directories also send "". */
export const isAbsent = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

/**
 * The value of an attribute as it is stored, or undefined if it is absent. Accepts an array of one for a single value,
 * and the reverse. Throws 400 `invalidValue` for a value of another type, and for a list with two primary elements.
 */
export function valueOf(attribute: Attribute, given: unknown): Value | undefined {
  if (!attribute.multiValued) return single(attribute, unwrapped(attribute, given));
  const elements = (Array.isArray(given) ? given : [given])
    .map((element) => single(attribute, element))
    .filter((element) => element !== undefined) as Complex[];
  if (elements.filter(isPrimary).length > 1) throw twoPrimaries(attribute);
  return elements.length ? elements : undefined;
}

export const isPrimary = ({ primary }: Complex): boolean => primary === true;

export const twoPrimaries = ({ path }: Attribute) => invalidValue(`At most one of ${path} can be primary`);

/** The value, taken out of an array of one. */
export function unwrapped(attribute: Attribute, given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  if (given.length > 1) throw invalidValue(`${attribute.path} must be a single value`);
  return given[0];
}

/** One value of an attribute, or one element of a multi-valued one. */
function single(attribute: Attribute, given: unknown): Value | undefined {
  if (isAbsent(given)) return undefined;
  switch (attribute.type) {
    case 'complex':
      return complexValue(attribute, objectOf(attribute, given));
    case 'boolean':
      return flag(attribute, given);
    default:
      return text(attribute, given);
  }
}

/** Directories send the manager as an object or as a bare id. */
export function objectOf(attribute: Attribute, given: unknown): Record<string, unknown> {
  if (isObject(given)) return given;
  if (attribute.name === 'manager' && typeof given === 'string') return { value: given };
  throw invalidValue(`${attribute.path} must be an object`);
}

function complexValue(attribute: Attribute, given: Record<string, unknown>): Complex | undefined {
  const byName = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const value: Complex = {};
  for (const sub of attribute.subAttributes!) {
    if (sub.mutability !== 'readWrite') continue;
    const subValue = valueOf(sub, byName.get(sub.name.toLowerCase()));
    if (subValue !== undefined) value[sub.name] = subValue;
  }
  return hasSubstance(value) ? value : undefined;
}

/** Whether the element has a value, and not just a type. */
export const hasSubstance = (value: Complex): boolean =>
  Object.keys(value).some((name) => name !== 'type' && name !== 'primary');

function flag({ path }: Attribute, given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  const lower = typeof given === 'string' ? given.toLowerCase() : undefined;
  if (lower !== 'true' && lower !== 'false') throw invalidValue(`${path} must be true or false`);
  return lower === 'true';
}

/** Characters that base64 does not have, or has only at its end. White space is ignored. */
const NOT_BASE64 = /[^A-Za-z0-9+/=\s]|=\s*[^=\s]/;

function text({ path, type, maxLength, uniqueness }: Attribute, given: unknown): string {
  if (typeof given !== 'string') throw invalidValue(`${path} must be a string`);
  if (type === 'binary' && NOT_BASE64.test(given)) throw invalidValue(`${path} must be base64`);
  // A blank name could be neither found nor shown.
  if (uniqueness === 'server' && !given.trim()) throw invalidValue(`${path} must not be blank`);
  if (maxLength && hasCharacters(given, maxLength + 1))
    throw invalidValue(`${path} must have at most ${maxLength} characters`);
  return given;
}
