import { nameIn, type Schema } from './document';
import { escape, inline, table } from './html';

interface Field {
  name: string;
  required: boolean;
  /** Default: that of the schema. */
  description?: string;
  schema: Schema;
}

/** A table of parameters or of an object's fields. `marked` says which fields are marked. */
export const fieldTable = (caption: string, fields: Field[], marked: 'required' | 'optional') =>
  table(
    caption,
    ['Name', 'Type', 'Description'],
    fields.map(({ name, required, schema, description = schema.description ?? '' }) => [
      `<code>${escape(name)}</code>${required === (marked === 'required') ? ` <span class="chip">${marked}</span>` : ''}`,
      typeOf(schema),
      [inline(description), ...rulesOf(schema).map((rule) => `<span class="rule">${rule}</span>`)].join(' '),
    ]),
  );

/** The fields of an object, with those of the objects in its lists. */
export const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).flatMap(([name, schema]) => [
    { name, required: required.includes(name), schema },
    ...fieldsOf(schema.items ?? {}).map((field) => ({ ...field, name: `${name}[].${field.name}` })),
  ]);

export const schemaLink = (ref: string) => `<a href="#${nameIn(ref)}">${nameIn(ref)}</a>`;

function typeOf({ $ref, anyOf, type, format, items }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if ($ref) return schemaLink($ref);
  if (items) return `list of ${typeOf(items)}${items.$ref ? '' : 's'}`;
  return [type]
    .flat()
    .map((name) => (format === 'date-time' && name === 'string' ? 'timestamp' : name))
    .join(' or ');
}

/** The rules that a schema has for a value, in words. Patterns are for programs; descriptions say what they mean. */
function rulesOf(schema: Schema): string[] {
  const { maxLength, minimum, maximum, maxProperties, propertyNames, minItems, uniqueItems } = schema;
  const allowed = schema.enum ?? schema.items?.enum;
  const keys = propertyNames ? ` of ${lengthOf(propertyNames)}` : '';
  return [
    allowed && `${oneOf(allowed)}.`,
    maxLength && `${capitalized(lengthOf(schema))}.`,
    minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}.`,
    maxProperties && `At most ${maxProperties} keys${keys}.`,
    minItems && `At least ${minItems}.`,
    uniqueItems && 'No duplicates.',
    schema.default !== undefined && `Default: <code>${escape(schema.default)}</code>.`,
  ].filter((rule) => typeof rule === 'string');
}

const oneOf = (values: string[]) =>
  (values.length > 1 ? 'One of ' : 'Always ') +
  values.map((value) => `<code>${escape(value)}</code>`).join(', ');

const lengthOf = ({ minLength, maxLength }: Schema) =>
  `${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters`;

const capitalized = (text: string) => text[0].toUpperCase() + text.slice(1);
