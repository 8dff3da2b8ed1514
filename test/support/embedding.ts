import {
  OrganizationsService,
  type RequestRecord,
  TokensService,
  UserManagementModule,
  type UserManagementOptions,
} from '../../src';
import type { Scope } from '../../src/platform/http/scopes';
import { Client } from './client';
import { DEFAULTS } from './defaults';
import { type Host, type HostOptions, startHost } from './host';
import { late } from './late';

export const OPTIONS = {
  schema: 'ums',
  prefix: 'internal',
  background: DEFAULTS.background,
} satisfies UserManagementOptions;

/** Starts an application with the service, and keeps the records of its requests. */
export function useHost() {
  let host: Host | undefined;
  const records: RequestRecord[] = [];
  beforeAll(async () => {
    host = await startHost([
      UserManagementModule.forRoot({
        ...OPTIONS,
        rateLimitPerMinute: 50,
        onRequest: (record): unknown => {
          records.push(record);
          if (record.route === '/api/v1/users/search') throw new Error('thrown by onRequest');
          // A host may pass an asynchronous function, too.
          if (record.route === '/v1/tokens') return Promise.reject(new Error('rejected by onRequest'));
        },
      }),
    ]);
  });
  afterAll(() => host?.close());
  return { host: late(() => host!), records };
}

/** Starts the same application without the service. */
export function usePlainHost(): Host {
  let plain: Host | undefined;
  beforeAll(async () => void (plain = await startHost([])));
  afterAll(() => plain?.close());
  return late(() => plain!);
}

export async function clientOf({ app, url }: Host, scopes: Scope[] = ['admin']) {
  const { id: organizationId } = await app.get(OrganizationsService).create('Test');
  const { token, value } = await app.get(TokensService).create(organizationId, { name: 'Test', scopes });
  return new Client(url, { organizationId, tokenId: token.id, value });
}

/** Runs a test on an application of its own, with the service. */
export async function onHost(
  options: UserManagementOptions,
  test: (host: Host) => Promise<void>,
  hostOptions?: HostOptions,
): Promise<void> {
  const host = await startHost([UserManagementModule.forRoot(options)], hostOptions);
  await test(host).finally(() => host.close());
}
