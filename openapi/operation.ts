import { STATUS_CODES } from 'node:http';
import { factsOf } from '../src/http/facts';
import { ListTokensDto } from '../src/tokens/tokens.dto';
import { ListUsersDto, SearchUsersDto } from '../src/users/users.dto';
import { FAILURES } from './failures';
import { COMMON, headerRefs, LIMITS } from './headers';
import { modern, type Schema, withFacts } from './schemas';

interface Response {
  /** Or the place of one that is described once for all. */
  $ref?: string;
  description?: string;
  content?: Record<string, object>;
  headers?: object;
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  description?: string;
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: object;
  responses: Record<string, Response>;
  security?: object[];
}

const QUERIES: Record<string, { prototype: object }> = {
  'users.list': ListUsersDto,
  'users.search': SearchUsersDto,
  'tokens.list': ListTokensDto,
};

/** An operation of the API, with what its type does not tell: names, headers, scopes and failures. */
export function describeOperation(read: Operation, path: string, scopes: string[]): Operation {
  const [, tag, verb] = /^(\w+)Controller_(\w+)/.exec(read.operationId)!;
  const operation = `${tag.toLowerCase()}.${verb}`;
  const facts = QUERIES[operation] ? factsOf(QUERIES[operation].prototype) : {};
  const scope = scopes.length > 0 ? `Needs the scope \`${scopes.join(' ')}\`.` : 'Any token will do.';
  const also = path.startsWith('/api/v1/tokens') ? ` The same as below \`/v1/tokens\`.` : '';
  return {
    ...read,
    operationId: also ? `${operation}.api` : operation,
    description: scope + also,
    security: [{ token: [] }],
    parameters: [
      ...read.parameters.map((parameter) => ({
        ...parameter,
        required: parameter.in === 'path' || (parameter.required && !isOptional(facts[parameter.name])),
        schema: withFacts(modern(parameter.schema), facts[parameter.name]),
      })),
      REQUEST_ID,
    ],
    ...(read.requestBody && { requestBody: modern(read.requestBody) }),
    responses: { ...successes(read), ...failures(read, operation, scopes) },
  };
}

const isOptional = (facts?: object) => (facts as { optional?: true } | undefined)?.optional === true;

const REQUEST_ID = {
  name: 'X-Request-ID',
  in: 'header',
  required: false,
  description: 'An id of the caller’s for this request; it comes back, and is in the log.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$', examples: ['checkout-7f3a'] },
};

function successes(read: Operation): Operation['responses'] {
  return Object.fromEntries(
    Object.entries(read.responses).map(([status, response]) => {
      const names = [...COMMON, ...LIMITS];
      const isPage = JSON.stringify(response.content ?? {}).includes('PageView');
      if (status === '201' && read.tags.includes('Users')) names.push('Location');
      if (isPage) names.push('Link');
      return [
        status,
        {
          ...(modern(response) as unknown as typeof response),
          description: STATUS_CODES[status]!,
          headers: headerRefs(names),
        },
      ];
    }),
  );
}

function failures(read: Operation, operation: string, scopes: string[]) {
  const statuses = [400, 401, ...(scopes.length > 0 ? [403] : []), 429, 500, 503];
  if (read.parameters.some((parameter) => parameter.in === 'path')) statuses.push(404);
  if (read.requestBody) statuses.push(413, 415);
  if (['users.create', 'users.update'].includes(operation)) statuses.push(409);
  return Object.fromEntries(statuses.sort().map((status) => [status, failure(status)]));
}

const failure = (status: number) => ({ $ref: `#/components/responses/${FAILURES[status].code}` });

/** An operation that wants no token: health, and this document. */
export function describeOpen(read: Operation): Operation {
  const [, tag, verb] = /^(\w+)Controller_(\w+)/.exec(read.operationId)!;
  const isPage = verb === 'docs';
  const content: Record<string, object> = isPage
    ? { 'text/html': { schema: { type: 'string' } } }
    : { 'application/json': { schema: tag === 'Health' ? STATUS_OK : { type: 'object' } } };
  return {
    ...read,
    operationId: `${tag.toLowerCase()}.${verb}`,
    security: [],
    responses: {
      200: { description: 'OK', headers: headerRefs(['X-Request-ID']), content },
      400: failure(400), // a query parameter
      ...(verb === 'ready' && { 503: failure(503) }),
    },
  };
}

const STATUS_OK = {
  type: 'object',
  properties: { status: { const: 'ok' } },
  required: ['status'],
  additionalProperties: false,
};
