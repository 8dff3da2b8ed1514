import { version } from '../../package.json';
import type { Route } from '../../src/platform/http/method-not-allowed';
import { TokenController } from '../../src/oauth/token.controller';
import { readService } from './app';
import type { Schema } from './constraints';
import { exampleOf, FAILURES } from './failures';
import { AUTHENTICATED, COMMON, HEADERS, headerRefs } from './headers';
import { describeExchange, OAUTH_SCHEMAS, OAUTH_SCHEME } from './oauth';
import { describeOperation, type Operation } from './operation';
import { bodiesOf, isAlias } from './routes';
import { schemasOf } from './schemas';
import { WEBHOOK } from './webhook';
import { TAGS, DESCRIPTION, unwrapAll } from './texts';

type Paths = Record<string, Record<string, Operation>>;

/** The OpenAPI document of the service. */
export async function describeService(): Promise<object> {
  const { routes, document } = await readService();
  const { paths, components } = document as unknown as {
    paths: Paths;
    components: { schemas: Record<string, Schema> };
  };
  return unwrapAll({
    openapi: '3.1.0',
    info: {
      title: 'User Management Service',
      version,
      description: DESCRIPTION,
      contact: { name: 'The operators of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'The service that serves this document.' }], // a gateway may prefix the path
    security: [{ token: [] }, { oauth2: [] }],
    tags: TAGS,
    paths: describePaths(
      paths,
      routes.filter((route) => !isAlias(route)),
    ),
    webhooks: { event: WEBHOOK },
    components: {
      schemas: { ...schemasOf(components.schemas, bodiesOf(routes)), ...OAUTH_SCHEMAS },
      headers: HEADERS,
      responses: Object.fromEntries(Object.keys(FAILURES).map((status) => failureResponse(Number(status)))),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token, in the header `Authorization: Bearer <token>`.',
        },
        oauth2: OAUTH_SCHEME,
        operator: {
          type: 'http',
          scheme: 'bearer',
          description: "The operator's token, which the service has as `OPERATOR_TOKEN`. It is no API token.",
        },
      },
    },
  });
}

/** The operations of the routes, in the order of the tags and then of the paths. */
function describePaths(generated: Paths, routes: Route[]): Paths {
  const operations = routes.map((route) => {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = describeOperation(generated[path][method], route);
    return {
      path,
      method,
      operation: route.controller === TokenController ? describeExchange(operation) : operation,
    };
  });
  operations.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  const described: Paths = {};
  for (const { name } of TAGS) {
    for (const { path, method, operation } of operations) {
      if (operation.tags[0] === name) described[path] = { ...described[path], [method]: operation };
    }
  }
  return described;
}

function failureResponse(status: number): [string, object] {
  const { code, description, headers = [] } = FAILURES[status];
  const names = [...COMMON, ...headers, ...(status >= 500 || status === 401 ? [] : AUTHENTICATED)];
  return [
    code,
    {
      description,
      headers: headerRefs(names),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          example: exampleOf(status),
        },
      },
    },
  ];
}
