import type { Attribute } from '../../src/scim/schema/attribute';
import { isWritable } from '../../src/scim/schema/resource';
import { USER } from '../../src/scim/schema/user.schema';
import type { Schema } from './constraints';

/** The attributes that a directory can set, as `include=directory` shows them: by the declaration that SCIM has. */
export function directorySchema(): Schema {
  const attributes = [...USER.core.attributes, ...USER.extension!.attributes];
  // `active` is a field of the user.
  const shown = attributes.filter((attribute) => isWritable(attribute) && attribute.name !== 'active');
  return {
    ...objectOf(shown),
    description:
      'The attributes of a user that a directory has set through SCIM, by their names in RFC 7643.',
    examples: [
      { userName: 'ada@example.com', title: 'Analyst', department: 'Research', manager: { value: '4711' } },
    ],
  };
}

const REF = '$ref';

const objectOf = (attributes: readonly Attribute[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    attributes.filter(({ name }) => name !== REF).map((attribute) => [attribute.name, schemaOf(attribute)]),
  ),
  // Tools take a property of this name for a reference.
  ...(attributes.some(({ name }) => name === REF) && {
    patternProperties: { '^\\$ref$': { type: 'string' } },
  }),
  additionalProperties: false,
});

function schemaOf(attribute: Attribute): Schema {
  const { description, multiValued } = attribute;
  return multiValued
    ? { type: 'array', description, items: single(attribute) }
    : { ...single(attribute), description };
}

const single = ({ type, subAttributes }: Attribute): Schema =>
  type === 'complex'
    ? objectOf(subAttributes!.filter(isWritable))
    : { type: type === 'boolean' ? 'boolean' : 'string' };
