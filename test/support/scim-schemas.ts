import type { Attribute } from '../../src/scim/schema/attribute';
import type { Body } from './scim';

/** What every resource has although no schema declares it. */
const COMMON = ['schemas', 'id', 'meta'];

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  dateTime: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  reference: (value) => typeof value === 'string',
  binary: (value) => typeof value === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(value),
  complex: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Where the object differs from what the attributes declare: undeclared, missing, or of another type. */
export function faultsOf(attributes: readonly Attribute[], object: Body, at = ''): string[] {
  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  const undeclared = Object.keys(object)
    .filter((name) => !byName.has(name) && !(at === '' && COMMON.includes(name)))
    .map((name) => `${at}${name} is not declared`);
  const faults = attributes.flatMap(({ name, type, multiValued, required, subAttributes = [] }) => {
    const value = object[name];
    if (value === undefined) return required ? [`${at}${name} is missing`] : [];
    if (Array.isArray(value) !== multiValued) return [`${at}${name} is a list, or is none`];
    return [value].flat().flatMap((one) => {
      if (!TYPES[type](one)) return [`${at}${name} is no ${type}`];
      return type === 'complex' ? faultsOf(subAttributes, one, `${at}${name}.`) : [];
    });
  });
  return [...undeclared, ...faults];
}

/** Every attribute and sub-attribute. */
export const allOf = (attributes: readonly Attribute[]): Attribute[] =>
  attributes.flatMap((attribute) => [attribute, ...allOf(attribute.subAttributes ?? [])]);

/** A user to whom references point. */
export interface Referred {
  id: string;
  location: string;
}

let serial = 0;

/** A new value of the attribute, with all that can be written. */
export function sampleOf(attribute: Attribute, user: Referred): unknown {
  const one = sample(attribute, user);
  return attribute.multiValued ? [one] : one;
}

function sample(
  { name, path, type, referenceTypes, canonicalValues, subAttributes }: Attribute,
  user: Referred,
) {
  const text = `${path} ${++serial}`;
  switch (type) {
    case 'complex':
      return samplesOf(subAttributes!, user);
    case 'boolean':
      return true;
    case 'binary':
      return Buffer.from(text).toString('base64');
    case 'reference':
      return referenceTypes![0] === 'User' ? user.location : `https://example.com/${serial}`;
    default:
      if (canonicalValues) return canonicalValues.at(serial % canonicalValues.length);
      if (path === 'members.value') return user.id;
      return name === 'value' && path.startsWith('emails.') ? `${serial}@example.com` : text;
  }
}

/** New values of all attributes that can be written. */
export const samplesOf = (attributes: readonly Attribute[], user: Referred): Record<string, unknown> =>
  Object.fromEntries(
    attributes
      .filter(({ mutability }) => mutability !== 'readOnly')
      .map((attribute) => [attribute.name, sampleOf(attribute, user)]),
  );
