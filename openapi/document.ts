import { STATUS_CODES } from 'node:http';
import { version } from '../package.json';
import { API_CONTROLLERS } from '../src/api/api.module';
import { REQUIRED_SCOPES } from '../src/auth/scopes.decorator';
import { routesOf } from '../src/http/method-not-allowed';
import { readControllers } from './app';
import { FAILURES, problemOf } from './failures';
import { COMMON, HEADERS, headerRefs, LIMITS } from './headers';
import { describeOpen, describeOperation, type Operation } from './operation';
import { type Schema, schemasOf } from './schemas';

const DESCRIPTION = `Users of an organization, and the API tokens that open them.

JSON in, JSON out. Unknown fields and unknown query parameters are refused, never ignored; so is \`null\`. A known path answers other
methods with a 405 and \`Allow\`, every other path is a 404. A token value is \`umt_\` and 38 letters and digits, of which the last six are a
checksum: \`umt_[0-9A-Za-z]{38}\`. Those in the examples have a wrong one.`;

/** The OpenAPI document of the service. */
export async function describeService(): Promise<object> {
  const { paths, components } = (await readControllers()) as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'User Management Service',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [{ name: 'Users' }, { name: 'Tokens' }, { name: 'Health' }, { name: 'Docs' }],
    paths: describePaths(paths),
    components: {
      schemas: schemasOf(components.schemas),
      headers: HEADERS,
      responses: Object.fromEntries(Object.keys(FAILURES).map((status) => failureResponse(Number(status)))),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer umt_…' },
      },
    },
  };
}

function describePaths(paths: Record<string, Record<string, Operation>>) {
  const scopes = new Map(
    [...routesOf(API_CONTROLLERS)].map(({ method, path, handler }) => [
      `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
      (Reflect.getMetadata(REQUIRED_SCOPES, handler) ?? ['admin']) as string[],
    ]),
  );
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => {
          const needed = scopes.get(`${method} ${path}`);
          return [method, needed ? describeOperation(operation, path, needed) : describeOpen(operation)];
        }),
      ),
    ]),
  );
}

function failureResponse(status: number): [string, object] {
  const { code, headers = [] } = FAILURES[status];
  const names = [...COMMON, ...headers, ...(status >= 500 || status === 401 ? [] : LIMITS)];
  return [
    code,
    {
      description: STATUS_CODES[status],
      headers: headerRefs(names),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: { [code]: { value: problemOf(status) } },
        },
      },
    },
  ];
}
