import type { Test } from 'supertest';
import { ScimError } from '../../src/scim/schema/scim-error';
import type { Scope } from '../../src/platform/http/scopes';
import { type Client } from './client';
import { startService, type TestService } from './service';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- bodies of responses
export type Body = any;

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A directory: a client whose paths are below `/scim/v2`, and whose bodies are SCIM's. */
export interface ScimClient {
  api: Client;
  get(path: string): Test;
  post(path: string, body?: object): Test;
  put(path: string, body?: object): Test;
  patch(path: string, body?: object): Test;
  delete(path: string): Test;
  /** Sends a PATCH with these operations. */
  change(path: string, ...Operations: object[]): Test;
  /** The first page of what the filter finds. */
  find(path: string, filter: string): Promise<Body>;
}

export async function scimClient(
  service: TestService,
  options: { scopes?: Scope[]; organizationId?: string } = {},
): Promise<ScimClient> {
  const api = await service.client(options);
  return directoryOf(() => api);
}

/** A service, and a directory that has a new organization in each test. */
export function useScim() {
  let service: TestService | undefined;
  let api: Client | undefined;
  beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' })));
  beforeEach(async () => (api = await service!.client()));
  afterAll(() => service?.close());
  return { service: () => service!, scim: directoryOf(() => api!) };
}

/** The directory of a client. */
export function directoryOf(api: () => Client): ScimClient {
  const send =
    (method: 'get' | 'post' | 'put' | 'patch' | 'delete') =>
    (path: string, body?: object): Test => {
      const test = api().send(method, `/scim/v2${path}`);
      return body === undefined
        ? test
        : test.set('Content-Type', 'application/scim+json').send(JSON.stringify(body));
    };
  return {
    get api() {
      return api();
    },
    get: send('get'),
    post: send('post'),
    put: send('put'),
    patch: send('patch'),
    delete: send('delete'),
    change: (path, ...Operations) => send('patch')(path, { schemas: [PATCH_OP], Operations }),
    async find(path, filter) {
      const query = `${path.includes('?') ? '&' : '?'}filter=${encodeURIComponent(filter)}`;
      return (await send('get')(path + query).expect(200)).body;
    },
  };
}

/** The scimType of the ScimError of status 400 that is thrown, or undefined if nothing is. */
export function refusalOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    expect(error).toMatchObject({ status: 400, detail: expect.any(String) });
    return error.scimType;
  }
}
