import type { Test } from 'supertest';
import type { Scope } from '../../src/http/scopes';
import { type Client } from './client';
import type { TestService } from './service';

/** A directory: a client whose paths are below `/scim/v2`, and whose bodies are SCIM's. */
export interface ScimClient {
  api: Client;
  get(path: string): Test;
  post(path: string, body?: object): Test;
  put(path: string, body?: object): Test;
  patch(path: string, body?: object): Test;
  delete(path: string): Test;
}

export async function scimClient(
  service: TestService,
  options: { scopes?: Scope[]; organizationId?: string } = {},
): Promise<ScimClient> {
  const api = await service.client(options);
  const send =
    (method: 'get' | 'post' | 'put' | 'patch' | 'delete') =>
    (path: string, body?: object): Test => {
      const test = api.send(method, `/scim/v2${path}`);
      return body === undefined
        ? test
        : test.set('Content-Type', 'application/scim+json').send(JSON.stringify(body));
    };
  return {
    api,
    get: send('get'),
    post: send('post'),
    put: send('put'),
    patch: send('patch'),
    delete: send('delete'),
  };
}
