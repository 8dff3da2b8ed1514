import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import document from '../../openapi.json';
import { DiscoveryService } from '@nestjs/core';
import { controllersOf } from '../../src/service.module';
import { routesOf } from '../../src/platform/http/method-not-allowed';
import { SCOPES } from '../../src/platform/http/scopes';
import { isTokenValue } from '../../src/tokens/token/token-value';
import { faultsOf, resolve } from '../support/openapi';
import { OPERATOR_TOKEN } from '../support/routes';
import { useService } from '../support/service';

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: object[];
  parameters: { name: string; description: string; schema: object }[];
  responses: Record<string, { $ref?: string; content?: Record<string, { example: unknown }> }>;
}
const operations = Object.entries(
  document.paths as unknown as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/** The operation whose errors are those of OAuth. */
const EXCHANGE = '/oauth/token';

/** A description: sentences without the line breaks of a source file. */
const TEXT = expect.stringMatching(/^[A-Z](?![^]*[^\n]\n[^\n])[^]*\.$/);

const service = useService({ OPERATOR_TOKEN });

describe('openapi.json', () => {
  it('matches the code', async () => {
    await promisify(execFile)(process.execPath, ['scripts/openapi.mjs', '--check']);
  });

  it('has every route of the API once: generators would make a second set of the aliases below /api', () => {
    const described = operations.map(({ method, path }) => `${method} ${path}`);
    const routes = [...routesOf(controllersOf(service.app.get(DiscoveryService)))]
      .filter(({ path }) => !path.includes('/scim/')) // which describes itself
      .filter(({ path }) => path !== '/docs/:file') // the files of a page
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const aliases = routes.filter((route) => / \/api\/(v1\/tokens|v1\/organizations|oauth)/.test(route));
    expect(aliases.map((alias) => alias.replace('/api/', '/')).sort()).toEqual(
      described.filter((route) => / \/(v1\/tokens|v1\/organizations|oauth)/.test(route)).sort(),
    );
    expect(described.filter((route) => route.includes(' /dashboard'))).toEqual([]);
    expect(described.sort()).toEqual(routes.filter((route) => !aliases.includes(route)).sort());
  });

  it('names its licence and contact, and describes every tag', () => {
    expect(document.info).toMatchObject({
      description: expect.stringMatching(/./),
      contact: { name: expect.stringMatching(/./) },
      license: { identifier: 'MIT' },
    });
    for (const { name, description } of document.tags) expect([name, description]).toEqual([name, TEXT]);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(
      new Set(document.tags.map(({ name }) => name)),
    );
  });

  it('says what each operation does, needs and answers', () => {
    for (const operation of operations) {
      const { path, operationId, summary, description, parameters, responses, security } = operation;
      expect(operations.filter((other) => other.operationId === operationId)).toEqual([operation]);
      expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z][^.]*[^.]$/)]);
      expect([operationId, description]).toEqual([operationId, TEXT]);
      expect(description).toMatch(
        /Requires (no token|the scope `[a-z: ]+`|a token of any scope|the operator's token)\.$/,
      );
      for (const parameter of parameters)
        expect(parameter).toMatchObject({ description: TEXT, schema: { examples: [expect.anything()] } });
      const required = security.length > 0 ? ['400', '401', '429', '503'] : ['400'];
      expect([operationId, ...Object.keys(responses)]).toEqual(expect.arrayContaining(required));
      const [type, name] =
        path === EXCHANGE ? ['application/json', 'OAuthError'] : ['application/problem+json', 'Problem'];
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400)
          expect(response.$ref ? resolve(response.$ref) : response).toMatchObject({
            description: TEXT,
            content: { [type]: { schema: { $ref: `#/components/schemas/${name}` } } },
          });
    }
  });

  it('tells clients of OAuth 2.0 where to get a token, and which scopes each operation requires', () => {
    const { tokenUrl, scopes } = document.components.securitySchemes.oauth2.flows.clientCredentials;
    expect(`/${tokenUrl}`).toBe(EXCHANGE);
    expect(Object.keys(scopes)).toEqual(SCOPES);
    for (const { description, security } of operations) {
      const [, scope] = /Requires the scope `(.*)`\.$/.exec(description) ?? [];
      if (description.endsWith('Requires no token.')) expect(security).toEqual([]);
      else if (description.endsWith("the operator's token.")) expect(security).toEqual([{ operator: [] }]);
      else expect(security).toEqual([{ token: [] }, { oauth2: scope?.split(' ') ?? [] }]);
    }
  });

  it('describes every field, with an example, which for what a directory gives is one of it all', () => {
    interface Described {
      description?: string;
      examples?: unknown;
      items?: unknown;
    }
    const schemas = Object.entries(
      document.components.schemas as Record<string, { properties: object; examples?: unknown }>,
    );
    const lacking = schemas.flatMap(([name, { properties, examples }]) =>
      Object.entries<Described>({ ...properties })
        .filter(([, field]) => !field.description || !(field.examples || field.items || examples))
        .map(([field]) => `${name}.${field}`),
    );
    expect(lacking).toEqual([]);
  });

  it('has nothing that a generator of clients stumbles over: unused schemas, and numbers with a fraction', () => {
    const text = JSON.stringify(document);
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
    expect(text).not.toMatch(/"type":(\[[^\]]*)?"number"/);
  });

  it('has examples that its own schemas allow', () => {
    const examples = Object.entries(document.components.responses).map(([name, { content }]) => ({
      name: 'Problem',
      value: content['application/problem+json'].example,
      of: name,
    }));
    const exchange = operations.find(({ path }) => path === EXCHANGE)!;
    for (const [status, { content }] of Object.entries(exchange.responses)) {
      const { example } = content!['application/json'];
      if (status !== '200') examples.push({ name: 'OAuthError', value: example as never, of: status });
    }
    const ofFields = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      Object.entries(schema.properties as Record<string, { examples?: unknown[] }>).flatMap(
        ([field, { examples = [] }]) =>
          examples.map((value) => ({ name: `${name}/properties/${field}`, value, of: name })),
      ),
    );
    const wrong = [...examples, ...ofFields].filter(
      ({ name, value }) => faultsOf(`/components/schemas/${name}`, value).length > 0,
    );
    expect(wrong).toEqual([]);
  });

  it('promises nothing about X-Request-ID that a caller could break', async () => {
    const schema = operations[0].parameters.find(({ name }) => name === 'X-Request-ID')!.schema;
    expect(schema).toEqual({ type: 'string', examples: ['checkout-7f3a'] });
    const sent = 'Any value: (%)!';
    const { headers } = await service.anonymous().get('/livez').set('X-Request-ID', sent).expect(200);
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  });

  it('contains no valid token', () => {
    const values = readFileSync('openapi.json', 'utf8').match(/umt_[0-9A-Za-z]{38}/g)!;
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter(isTokenValue)).toEqual([]);
  });
});
