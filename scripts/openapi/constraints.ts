import { getMetadataStorage } from 'class-validator';
import { EMAIL_PATTERN } from './email-pattern';

export type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; required?: string[] };

/** The JSON Schema of each check, by its name in class-validator. */
const KEYWORDS: Record<string, (constraint: never) => Schema> = {
  isString: () => ({ type: 'string' }),
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  isIn: (values: string[]) => ({ type: 'string', enum: values }),
  matches: ({ source }: RegExp) => ({ type: 'string', pattern: source }),
  // Text is trimmed: without the pattern, white space alone would be long enough.
  minLength: (minLength: number) => ({
    minLength,
    pattern: minLength === 1 ? '\\S' : `\\S[\\s\\S]{${minLength - 2},}\\S`,
  }),
  maxLength: (maxLength: number) => ({ maxLength }),
  isWebhookUrl: () => ({ type: 'string', format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\\\#]+$' }),
  isEmail: () => ({ pattern: EMAIL_PATTERN }),
  isInstant: ({ source }: RegExp) => ({ type: 'string', format: 'date-time', pattern: source }),
  isTimeBound: ({ source }: RegExp) => ({ type: 'string', pattern: source }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: (minItems: number) => ({ minItems }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
  isNetworkList: ({ source }: RegExp) => ({ items: { type: 'string', pattern: source } }),
  arrayUnique: () => ({ uniqueItems: true }),
  isObject: () => ({ type: 'object', additionalProperties: true }),
  maxKeys: (maxProperties: number) => ({ maxProperties }),
  minKeyLength: (minLength: number) => ({ propertyNames: { minLength } }),
  maxKeyLength: (maxLength: number) => ({ propertyNames: { maxLength } }),
};

/**
 * Checks without a JSON Schema, which counts neither words nor bytes nor nested values, and compares no parameters.
 * `isDuration` only has another message than `matches`.
 */
const UNSAID = [
  'maxWords',
  'maxBytes',
  'maxValues',
  'isDuration',
  'isAllOrSome',
  'isOnlyWith',
  'isNotWith',
  'isIdOfUpdate',
];

export interface Field {
  /** The checks as JSON Schema. */
  keywords: Schema;
  isOptional: boolean;
  /** Whether the field is declared only to be refused. */
  isRefused: boolean;
}

/** The fields of a DTO, by its checks. */
export function fieldsOf(dto: Function): Record<string, Field> {
  const fields: Record<string, Field> = {};
  const checks = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  for (const { propertyName, type, name, constraints, each } of checks) {
    const field = (fields[propertyName] ??= { keywords: {}, isOptional: false, isRefused: false });
    if (type === 'conditionalValidation') field.isOptional = true;
    else if (name === 'isAbsent') field.isRefused = true;
    else if (!UNSAID.includes(name!)) {
      if (!(name! in KEYWORDS)) throw new Error(`scripts/openapi/constraints.ts: KEYWORDS lacks ${name}.`);
      const keywords = KEYWORDS[name!](constraints?.[0] as never);
      field.keywords = merged(field.keywords, each ? { items: keywords } : keywords);
    }
  }
  return fields;
}

const merged = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...(one.propertyNames ? { propertyNames: { ...one.propertyNames, ...Object(other.propertyNames) } } : {}),
});
