import { Agent } from 'node:http';
import request, { type Response, type Test } from 'supertest';
import { deviations } from './openapi';

/** How the responses in this test file deviated from openapi.json. */
export const deviated: string[] = [];

/**
 * Keeps connections open, because opening one takes longer than most requests. A busy process accepts no more than
 * these at once.
 */
const agent = new Agent({ keepAlive: true, maxSockets: 250 });

/** Far more refusals in a row than a busy machine causes. */
const MAX_REFUSALS = 100;

/**
 * Whether a request has been refused because the connections of its organization stay in use. Clients repeat it; so do
 * tests.
 */
const isCrowded = (_error: unknown, response?: Response) =>
  response?.status === 503 &&
  `${response.text}`.includes('Too many requests of the organization are in progress');

/** Sends HTTP requests to a running service, with or without a token. */
export class Client {
  constructor(
    private readonly url: string,
    private readonly identity?: { organizationId?: string; tokenId?: string; value: string },
  ) {}

  get = (path: string) => this.send('get', path);
  head = (path: string) => this.send('head', path);
  post = (path: string, body?: object) => this.send('post', path, body);
  put = (path: string, body?: object) => this.send('put', path, body);
  patch = (path: string, body?: object) => this.send('patch', path, body);
  delete = (path: string) => this.send('delete', path);

  /** The same client with another token value. */
  withValue = (value: string) => new Client(this.url, { ...this.identity!, value });

  createUser = async (fields: object = {}): Promise<UserBody> =>
    (await this.post('/api/v1/users', aUser(fields)).expect(201)).body;

  get organizationId(): string {
    return this.identity!.organizationId!;
  }

  get tokenId(): string {
    return this.identity!.tokenId!;
  }

  get tokenValue(): string {
    return this.identity!.value;
  }

  send(
    method: 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options',
    path: string,
    body?: object,
  ): Test {
    const test = request(this.url)[method](path).agent(agent).retry(MAX_REFUSALS, isCrowded);
    test.on('response', (response: Response) => deviated.push(...deviations(method, path, response)));
    if (this.identity) test.set('Authorization', `Bearer ${this.identity.value}`);
    return body === undefined ? test : test.send(body);
  }
}

export interface UserBody {
  id: string;
  externalId: string | null;
  name: string;
  email: string;
  role: string;
  active: boolean;
  metadata: Record<string, unknown>;
  version: number;
  createdAt: string;
  updatedAt: string;
}

let userCount = 0;

/** A valid user with a unique email. A test sets only the fields that it is about. */
export const aUser = (fields: object = {}) => ({
  name: 'Ada Lovelace',
  email: `user-${++userCount}@example.com`,
  ...fields,
});
