import { STATUS_CODES } from 'node:http';
import type { Type } from '@nestjs/common';
import { bodyTypesOf, isBodyOptional } from '../../src/platform/http/input/body-of-route';
import type { Route } from '../../src/platform/http/method-not-allowed';
import { type Access, accessOf, mayChange } from '../../src/platform/http/scopes';
import type { Schema } from './constraints';
import { FAILURES } from './failures';
import { AUTHENTICATED, COMMON, headerRefs } from './headers';
import { responsesOf, pathsOf, queryFieldsOf } from './routes';
import { publicName, toOpenApi31 } from './schemas';
import { ID_PARAMETERS, TAGS } from './texts';

interface Response {
  /** A reference to a shared response, instead of the other properties. */
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

/** Completes a generated operation with what its types do not contain: names, headers, scopes and errors. */
export function describeOperation(generated: Operation, route: Route): Operation {
  const access = accessOf(route.handler, route.controller);
  const tag = tagOf(route);
  const fields = queryFieldsOf(route);
  return {
    ...generated,
    tags: [tag],
    operationId: `${inCamelCase(tag)}.${route.handler.name}`,
    description: `${generated.description}\n\n${requirementOf(access)}`,
    security: securityOf(access),
    parameters: [
      ...generated.parameters.map((parameter) => ({
        ...parameter,
        required: parameter.in === 'path' || (parameter.required && !fields[parameter.name]?.isOptional),
        ...schemaOfParameter(parameter.schema, fields[parameter.name]?.keywords),
        ...(parameter.in === 'path' && ID_PARAMETERS[parameter.name === 'tokenId' ? 'Tokens' : tag]),
      })),
      ...(responsesOf(route).conditions ?? []).map((name) => CONDITIONS[name]),
      ...(responsesOf(route).idempotencyKey ? [IDEMPOTENCY_KEY] : []),
      ...(mayChange(route.method, access) ? [ON_BEHALF_OF] : []),
      REQUEST_ID,
    ],
    ...(generated.requestBody && {
      requestBody: {
        ...toOpenApi31(generated.requestBody),
        ...contentOf(bodyTypesOf(route.handler)),
        required: !isBodyOptional(route.handler),
      },
    }),
    responses: { ...successes(generated, route, access), ...failures(generated, route, access) },
  };
}

/** The schema of a query parameter, several values of which are separated by commas. */
function schemaOfParameter(generated: Schema, keywords: Schema = {}) {
  const { examples, ...schema } = toOpenApi31(generated);
  if (keywords.type !== 'array')
    return { schema: { ...schema, ...(examples ? { examples } : {}), ...keywords } };
  // The plugin sees one of two types: the array is for programs in the same process.
  return { style: 'form', explode: false, schema: { ...keywords, examples } };
}

/** That of the last segment before an id that names one, or of the controller's name without a path. */
function tagOf(route: Route): string {
  const { controller } = route;
  const [base] = pathsOf(route);
  const path = base === '/' ? controller.name.replace('Controller', '') : base;
  const segments = path.split('/:')[0].toLowerCase().replaceAll('-', ' ').split('/');
  const tag = segments
    .map((words) => TAGS.find(({ name }) => name.toLowerCase() === words))
    .findLast(Boolean);
  if (!tag) throw new Error(`The tags of no feature have a segment of ${path}.`);
  return tag.name;
}

const inCamelCase = (words: string) =>
  words.toLowerCase().replace(/ (.)/g, (_space, letter: string) => letter.toUpperCase());

function securityOf(access: Access): object[] {
  if (access === 'public') return [];
  return access === 'operator' ? [{ operator: [] }] : [{ token: [] }, { oauth2: access }];
}

function requirementOf(access: Access): string {
  if (access === 'public') return 'Requires no token.';
  if (access === 'operator') return "Requires the operator's token.";
  return access.length > 0 ? `Requires the scope \`${access.join(' ')}\`.` : 'Requires a token of any scope.';
}

const condition = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description: `${description} \`*\`, or a list of entity tags of at most 1 KB.`,
  schema: { type: 'string', examples: ['"7"'] },
});

const CONDITIONS = {
  'If-Match': condition(
    'If-Match',
    'The request is a 412, and changes nothing, unless one of these is the `ETag` of the user.',
  ),
  'If-None-Match': condition(
    'If-None-Match',
    'A GET is a 304 without a body, and any other request a 412, if one of these is the current `ETag`.',
  ),
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat: for 24 hours, the same request with the same key gets the response of the first one, and nothing ' +
    'is done again. 1 to 255 characters from `!` to `~`, bare or as a quoted string.',
  schema: { type: 'string', examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'] },
};

const ON_BEHALF_OF = {
  name: 'X-On-Behalf-Of',
  in: 'header',
  required: false,
  description:
    'The person for whom you make the change, as you name them, which its events show as your word: 1 to 200 characters in UTF-8, without ' +
    'control and format characters. It grants nothing.',
  schema: { type: 'string', examples: ['ada@example.com'] },
};

const REQUEST_ID = {
  name: 'X-Request-ID',
  in: 'header',
  required: false,
  description:
    'Your id for this request, which the response and the log repeat: 1 to 128 letters, digits, dots, underscores and hyphens. ' +
    'Any other value is replaced by a new id.',
  schema: { type: 'string', examples: ['checkout-7f3a'] },
};

/** The operator's token never expires. */
const authenticatedBy = (access: Access) =>
  access === 'public'
    ? []
    : AUTHENTICATED.filter((name) => access !== 'operator' || name !== 'X-Token-Expires-At');

function successes(generated: Operation, route: Route, access: Access): Operation['responses'] {
  const { headers = [], view, mediaType, conditions } = responsesOf(route);
  const names = [...COMMON, ...authenticatedBy(access), ...headers];
  const responses: Operation['responses'] = Object.fromEntries(
    Object.entries(generated.responses).map(([status, response]) => {
      const { content } = toOpenApi31(response) as unknown as Response;
      const described = view ? { 'application/json': { schema: schemaOf(view) } } : content;
      return [
        status,
        {
          description: STATUS_CODES[status]!,
          headers: headerRefs(names),
          ...(mediaType
            ? {
                content: {
                  [mediaType]: { schema: { type: mediaType.endsWith('json') ? 'object' : 'string' } },
                },
              }
            : described && { content: described }),
        },
      ];
    }),
  );
  if (route.method === 'GET' && conditions?.includes('If-None-Match')) {
    responses[304] = { description: 'The caller has this version already.', headers: headerRefs(names) };
  }
  return responses;
}

/** The content of a body that may have several media types. */
const contentOf = (types: Record<string, Type> | undefined) =>
  types && {
    content: Object.fromEntries(
      Object.entries(types).map(([type, dto]) => [type, { schema: schemaOf(dto) }]),
    ),
  };

const schemaOf = ({ name }: Type) => ({ $ref: `#/components/schemas/${publicName(name)}` });

function failures(generated: Operation, route: Route, access: Access) {
  const { failures: own = [], conditions = [] } = responsesOf(route);
  const statuses = [400, ...own];
  if (responsesOf(route).idempotencyKey) statuses.push(422);
  if (conditions.includes('If-Match')) statuses.push(412, 428);
  if (access !== 'public') statuses.push(401, 429, 500, 503);
  if (access !== 'public' && access !== 'operator') statuses.push(403);
  if (generated.parameters.some((parameter) => parameter.in === 'path')) statuses.push(404);
  if (generated.requestBody) statuses.push(413, 415);
  return Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, failure(status)]));
}

const failure = (status: number) => ({ $ref: `#/components/responses/${FAILURES[status].code}` });
