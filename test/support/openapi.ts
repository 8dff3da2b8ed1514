import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Response } from 'supertest';
import document from '../../openapi.json';

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
addFormats(ajv);
ajv.addSchema(closed(document) as object, 'openapi');
ajv.addSchema(document, 'unclosed');

/** The document without undocumented fields: clients must tolerate new ones, but in these tests one would be a leak. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, closed(child)]));
  const isClosed = copy.type === 'object' && copy.properties && copy.additionalProperties === undefined;
  return isClosed ? { ...copy, additionalProperties: false } : copy;
}

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: { type?: unknown } }[];
  requestBody?: object;
  responses: Record<string, { $ref?: string }>;
}
type Paths = Record<string, Record<string, Operation>>;
const operations = Object.entries(document.paths as unknown as Paths).map(([path, methods]) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  methods,
}));

/** The path that the document has for an alias. */
const canonical = (pathname: string) => pathname.replace(/^\/api(?=\/(v1\/tokens|oauth\/))/, '');

/** The deviations of a response from openapi.json; none if it does not describe the operation. */
export function deviations(method: string, url: string, { status, headers, body }: Response): string[] {
  const pathname = canonical(url.split('?')[0]);
  // A literal path takes precedence over one with an id.
  const match = operations
    .filter(({ pattern }) => pattern.test(pathname))
    .sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))[0];
  const verb = method === 'head' ? 'get' : method;
  const operation = match?.methods[verb];
  if (!operation) return [];
  const at = `${method} ${match.path} ${status}`;
  const response = operation.responses[status];
  if (!response) return [`${at} is not described`];

  const pointer = response.$ref?.slice(1) ?? `/paths/${escaped(match.path)}/${verb}/responses/${status}`;
  const described = resolve(pointer) as {
    content?: Record<string, unknown>;
    headers?: Record<string, object>;
  };
  const faults = Object.keys(described.headers ?? {}).flatMap((name) => {
    const sent = headers[name.toLowerCase()];
    if (sent === undefined) return [];
    const value = /^\d+$/.test(sent) && !/id/i.test(name) ? Number(sent) : sent;
    return faultsOf(`/components/headers/${name}/schema`, value).map((fault) => `${at}: ${name} ${fault}`);
  });
  if (method === 'head') return faults;
  const type = headers['content-type']?.split(';')[0];
  if (!described.content) return type ? [...faults, `${at} has a body`] : faults;
  if (!type || !described.content[type]) return [...faults, `${at} is ${type}`];
  if (!type.endsWith('json')) return faults;
  return [
    ...faults,
    ...faultsOf(`${pointer}/content/${escaped(type)}/schema`, body).map((fault) => `${at}: ${fault}`),
  ];
}

/** How a value deviates from a schema in the document. */
export function faultsOf(pointer: string, value: unknown, key = 'openapi'): string[] {
  const validate = ajv.getSchema(`${key}#${encodeURI(pointer)}`)!;
  return validate(value)
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Whether the document allows a request's input. Query parameters are text, or lists if they are repeated. */
export function isValidInput(
  method: string,
  path: string,
  {
    query = {},
    body,
    type = 'application/json',
  }: { query?: Record<string, unknown>; body?: unknown; type?: string },
): boolean {
  const { parameters, requestBody } = (document.paths as unknown as Paths)[path][method];
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const known = Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema]));
  const isValidQuery =
    inQuery.every(({ name, required }) => !required || name in query) &&
    Object.entries(query).every(
      ([name, value]) => name in known && ajv.validate(known[name], fromText(known[name], value)),
    );
  if (!requestBody) return isValidQuery;
  const pointer = `/paths/${escaped(path)}/${method}/requestBody/content/${escaped(type)}/schema`;
  return isValidQuery && faultsOf(pointer, body, 'unclosed').length === 0;
}

const fromText = ({ type }: { type?: unknown }, value: unknown) => {
  if (type === 'integer' && /^-?\d+$/.test(String(value))) return Number(value);
  if (type === 'boolean' && /^(true|false)$/.test(String(value))) return value === 'true';
  if (type === 'array' && typeof value === 'string') return value.split(',');
  return value;
};

const escaped = (segment: string) => segment.replaceAll('~', '~0').replaceAll('/', '~1');

/** What a JSON pointer or a reference refers to in the document. */
export const resolve = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
