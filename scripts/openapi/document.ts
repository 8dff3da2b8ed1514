import { STATUS_CODES } from 'node:http';
import { version } from '../../package.json';
import type { Route } from '../../src/http/method-not-allowed';
import { readService } from './app';
import { FAILURES, problemOf } from './failures';
import { COMMON, HEADERS, headerRefs, LIMITS } from './headers';
import { describeOperation, type Operation } from './operation';
import { type Schema, schemasOf } from './schemas';

const DESCRIPTION = `Manage an organization's users and API tokens.

Requests and responses are JSON. Unknown fields, unknown query parameters and \`null\` are rejected, never ignored. A known path
answers other methods with a 405 and \`Allow\`; an unknown path is a 404. A token value is \`umt_\` followed by 38 letters and digits,
the last six of which are a checksum: \`umt_[0-9A-Za-z]{38}\`. Example tokens have invalid checksums on purpose.`;

const TAGS = ['Users', 'Tokens', 'Health', 'Docs'];

/** The OpenAPI document of the service. */
export async function describeService(): Promise<object> {
  const { routes, document } = await readService();
  const { paths, components } = document as unknown as {
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
    tags: TAGS.map((name) => ({ name })),
    paths: describePaths(paths, routes),
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

function describePaths(paths: Record<string, Record<string, Operation>>, routes: Route[]) {
  const byName = new Map(
    routes.map((route) => [`${route.method.toLowerCase()} ${route.path.replace(/:(\w+)/g, '{$1}')}`, route]),
  );
  const described = Object.entries(paths).map(([path, operations]) => {
    const methods = Object.entries(operations).map(
      ([method, operation]) =>
        [method, describeOperation(operation, byName.get(`${method} ${path}`)!)] as const,
    );
    return { path, methods: Object.fromEntries(methods), tag: methods[0][1].tags[0] };
  });
  const sorted = TAGS.flatMap((tag) => described.filter((item) => item.tag === tag));
  return Object.fromEntries(sorted.map(({ path, methods }) => [path, methods]));
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
