import { isObject } from '../../platform/http/input/checks';
import { type Condition, readConditions } from '../filter/conditions';
import { Lexer } from '../filter/lexer';
import { type Reference, type ResourceSchema, resolve, subAttribute } from '../schema/resource-schema';
import { invalidPath, invalidSyntax, noTarget, ScimError, tooMany } from '../schema/scim-error';
import { isAbsent } from '../schema/resource';

const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The target of a path in a PATCH. */
export interface Target extends Reference {
  /** Select elements of a multi-valued attribute. */
  conditions?: Condition[];
}

export const isReadOnly = ({ attribute, sub }: Target): boolean =>
  [attribute, sub].some((part) => part?.mutability === 'readOnly');

/** A change of one target. An operation without a path has one for each key of its value. */
export interface Operation {
  op: 'add' | 'replace' | 'remove';
  target: Target;
  /** As it was sent. */
  value: unknown;
  /** Whether a complex value is replaced instead of merged, which takes a `replace` with a path. */
  isWhole: boolean;
}

/** An operation of the body. */
type Sent = Pick<Operation, 'op' | 'value'> & { path?: string };

const OPS: readonly string[] = ['add', 'replace', 'remove'];

/** Each may read a list of 200 elements. */
const MAX_CHANGES = 1_000;

/**
 * The operations in the body of a PATCH, in order; undefined for a key that is ignored, because it is unknown or
 * read-only. Their paths are read one by one: a thousand long ones would keep the event loop.
 */
export function* operationsOf(schema: ResourceSchema, body: unknown): Generator<Operation | undefined> {
  for (const { op, path, value } of sentIn(body)) {
    if (path !== undefined) {
      yield { op, target: parsePath(schema, path), value, isWhole: op === 'replace' };
      continue;
    }
    for (const [key, part] of Object.entries(value as object)) {
      const target = findPath(schema, key);
      yield target && !isReadOnly(target) ? { op, target, value: part, isWhole: false } : undefined;
    }
  }
}

/** Letter case is ignored in names and in `op`. */
function sentIn(body: unknown): Sent[] {
  const { operations, schemas } = inLowerCase(body, 'The body');
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.some(isPatchUrn)))
    throw invalidSyntax(`schemas must name ${PATCH_URN}`);
  if (!Array.isArray(operations)) throw invalidSyntax('Operations must be a list');
  const sent = operations.slice(0, MAX_CHANGES + 1).map(sentOf);
  const changes = sent.reduce(
    (sum, { path, value }) =>
      sum + (path === undefined ? Math.max(1, Object.keys(value as object).length) : 1),
    0,
  );
  if (changes > MAX_CHANGES)
    throw tooMany(
      `There must be at most ${MAX_CHANGES} changes. In an operation without a path, each key is a change`,
    );
  return sent;
}

function sentOf(element: unknown): Sent {
  const { op: name, path, value } = inLowerCase(element, 'An operation');
  const op = (typeof name === 'string' ? name.toLowerCase() : '') as Operation['op'];
  if (!OPS.includes(op)) throw invalidSyntax('op must be add, replace or remove');
  if (!isAbsent(path) && typeof path !== 'string') throw invalidPath('path must be a string');
  if (!isAbsent(path)) return { op, path, value };
  if (op === 'remove') throw noTarget('remove needs a path');
  if (!isObject(value)) throw invalidSyntax('The value of an operation without a path must be an object');
  return { op, value };
}

const isPatchUrn = (urn: unknown) => typeof urn === 'string' && urn.toLowerCase() === PATCH_URN.toLowerCase();

function inLowerCase(object: unknown, what: string): Record<string, unknown> {
  if (!isObject(object)) throw invalidSyntax(`${what} must be an object`);
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));
}

const MAX_PATH_LENGTH = 1024;

/** Throws 400 `invalidPath` if the path is malformed or names an unknown attribute. */
function parsePath(schema: ResourceSchema, path: string): Target {
  const lexer = new Lexer(path, MAX_PATH_LENGTH, (detail) => invalidPath(`The path is not valid. ${detail}`));
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
function findPath(schema: ResourceSchema, path: string): Target | undefined {
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
