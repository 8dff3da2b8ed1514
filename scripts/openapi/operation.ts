import { STATUS_CODES } from 'node:http';
import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/internal';
import type { Route } from '../../src/http/method-not-allowed';
import { type Access, accessOf } from '../../src/http/scopes';
import { FAILURES } from './failures';
import { COMMON, headerRefs, LIMITS } from './headers';
import { factsOfRoute, queryFactsOf } from './route-facts';
import { modern, publicName, type Schema, withFacts } from './schemas';

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

/** An operation, with what its types do not tell: names, headers, scopes and failures. */
export function describeOperation(read: Operation, route: Route): Operation {
  const access = accessOf(route.handler, route.controller);
  const tag = tagOf(route);
  const alias = route.path.startsWith('/api/v1/tokens');
  const name = `${tag.toLowerCase()}.${route.handler.name}`;
  const facts = queryFactsOf(route);
  const open = access === 'public';
  return {
    ...read,
    tags: [tag],
    operationId: alias ? `${name}.api` : name,
    ...(!open && { description: scopeOf(access) + (alias ? ' The same as below `/v1/tokens`.' : '') }),
    security: open ? [] : [{ token: [] }],
    parameters: [
      ...read.parameters.map((parameter) => ({
        ...parameter,
        required: parameter.in === 'path' || (parameter.required && !isOptional(facts[parameter.name])),
        schema: withFacts(modern(parameter.schema), facts[parameter.name]),
      })),
      REQUEST_ID,
    ],
    ...(read.requestBody && { requestBody: modern(read.requestBody) }),
    responses: { ...successes(read, route, open), ...failures(read, route, access) },
  };
}

/** The last word of the path that its controller serves, or the name of the controller. */
function tagOf({ controller }: Route): string {
  const [base] = [Reflect.getMetadata(PATH_METADATA, controller)].flat() as string[];
  const word = base === '/' ? controller.name.replace('Controller', '') : base.split('/').at(-1)!;
  return word[0].toUpperCase() + word.slice(1);
}

const scopeOf = (scopes: readonly string[]) =>
  scopes.length > 0 ? `Requires the scope \`${scopes.join(' ')}\`.` : 'Any token is allowed.';

const isOptional = (facts?: object) => (facts as { optional?: true } | undefined)?.optional === true;

const REQUEST_ID = {
  name: 'X-Request-ID',
  in: 'header',
  required: false,
  description: 'An id of the caller’s for this request; the response and the log repeat it.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$', examples: ['checkout-7f3a'] },
};

function successes(read: Operation, route: Route, open: boolean): Operation['responses'] {
  const { headers = [], view, mediaType } = factsOfRoute(route);
  const names = [...COMMON, ...(open ? [] : LIMITS), ...headers];
  return Object.fromEntries(
    Object.entries(read.responses).map(([status, response]) => {
      const { content } = modern(response) as unknown as Response;
      const described = view ? { 'application/json': { schema: schemaOf(view) } } : content;
      return [
        status,
        {
          description: STATUS_CODES[status]!,
          headers: headerRefs(names),
          ...(mediaType
            ? { content: { [mediaType]: { schema: { type: 'string' } } } }
            : described && { content: described }),
        },
      ];
    }),
  );
}

const schemaOf = ({ name }: Type) => ({ $ref: `#/components/schemas/${publicName(name)}` });

function failures(read: Operation, route: Route, access: Access) {
  const { failures: own = [] } = factsOfRoute(route);
  const statuses = [400, ...own];
  if (access !== 'public') statuses.push(401, 429, 500, 503);
  if (access !== 'public' && access.length > 0) statuses.push(403);
  if (read.parameters.some((parameter) => parameter.in === 'path')) statuses.push(404);
  if (read.requestBody) statuses.push(413, 415);
  return Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, failure(status)]));
}

const failure = (status: number) => ({ $ref: `#/components/responses/${FAILURES[status].code}` });
