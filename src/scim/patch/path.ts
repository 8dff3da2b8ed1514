import { type Condition, readConditions } from '../filter/conditions';
import { invalidPath, ScimError } from '../schema/scim-error';
import { type Reference, type ResourceSchema, resolve, subAttribute } from '../schema/resource-schema';
import { Lexer } from '../filter/lexer';

/** The target of a path in a PATCH. */
export interface Target extends Reference {
  /** Select elements of a multi-valued attribute. */
  conditions?: Condition[];
}

export const isReadOnly = ({ attribute, sub }: Target): boolean =>
  [attribute, sub].some((part) => part?.mutability === 'readOnly');

const MAX_LENGTH = 1024;

/** Throws 400 `invalidPath` if the path is malformed or names an unknown attribute. */
export function parsePath(schema: ResourceSchema, path: string): Target {
  const lexer = new Lexer(path, MAX_LENGTH, (detail) => invalidPath(`The path is not valid. ${detail}`));
  const reference = resolve(schema, lexer.word());
  if (!reference) throw lexer.refuse('It names an attribute that does not exist');
  const target: Target = { ...reference };
  const { attribute, sub } = reference;
  if (attribute && !sub && lexer.take('[')) {
    target.conditions = readConditions(lexer, attribute);
    const name = lexer.takeSub();
    if (name !== undefined) {
      target.sub = subAttribute(attribute, name);
      if (!target.sub) throw lexer.refuse('It names an attribute that does not exist');
    }
  }
  lexer.expectEnd();
  return target;
}

/** As parsePath(), but undefined instead of a 400. An unknown name costs a look-up, and no exception. */
export function findPath(schema: ResourceSchema, path: string): Target | undefined {
  const bracket = path.indexOf('[');
  if (bracket < 0) return resolve(schema, path.trim());
  if (!resolve(schema, path.slice(0, bracket).trim())) return undefined;
  try {
    return parsePath(schema, path);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}
