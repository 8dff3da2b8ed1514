import { invalidPath, invalidSyntax, noTarget, tooMany } from '../schema/scim-error';
import { isAbsent, isObject } from '../schema/values';

export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface Operation {
  op: 'add' | 'replace' | 'remove';
  path?: string;
  /** The value as it was sent. */
  given: unknown;
}

const OPS: readonly string[] = ['add', 'replace', 'remove'];

/** Each may read a list of 200 elements. */
const MAX_CHANGES = 1_000;

/** The operations in the body of a PATCH. Letter case is ignored in names and in `op`. */
export function operationsOf(body: unknown): Operation[] {
  const { operations, schemas } = inLowerCase(body, 'The body');
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.some(isPatchUrn)))
    throw invalidSyntax(`schemas must name ${PATCH_URN}`);
  if (!Array.isArray(operations)) throw invalidSyntax('Operations must be a list');
  const parsed = operations.slice(0, MAX_CHANGES + 1).map(operationOf);
  const changes = parsed.reduce((sum, operation) => sum + changesOf(operation), 0);
  if (changes > MAX_CHANGES)
    throw tooMany(
      `There must be at most ${MAX_CHANGES} changes. In an operation without a path, each key is a change`,
    );
  return parsed;
}

const changesOf = ({ path, given }: Operation) =>
  path === undefined ? Math.max(1, Object.keys(given as object).length) : 1;

function operationOf(element: unknown): Operation {
  const { op, path, value: given } = inLowerCase(element, 'An operation');
  const name = typeof op === 'string' ? op.toLowerCase() : '';
  if (!OPS.includes(name)) throw invalidSyntax('op must be add, replace or remove');
  if (!isAbsent(path) && typeof path !== 'string') throw invalidPath('path must be a string');
  const operation: Operation = { op: name as Operation['op'], given };
  if (!isAbsent(path)) return { ...operation, path };
  if (name === 'remove') throw noTarget('remove needs a path');
  if (!isObject(given)) throw invalidSyntax('The value of an operation without a path must be an object');
  return operation;
}

const isPatchUrn = (urn: unknown) => typeof urn === 'string' && urn.toLowerCase() === PATCH_URN.toLowerCase();

function inLowerCase(object: unknown, what: string): Record<string, unknown> {
  if (!isObject(object)) throw invalidSyntax(`${what} must be an object`);
  const entries = Object.entries(object).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries);
}
