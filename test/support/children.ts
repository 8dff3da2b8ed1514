import type { Response } from 'supertest';
import { newId } from '../../src/platform/database/id';
import { Client } from './client';
import { exchange, newNetwork, type Sent } from './oauth';
import { late } from './late';
import { type Replica, startReplica, startService, type TestService } from './service';

/** The form that exchanges the token of a client. */
export const formOf = ({ tokenId, tokenValue }: Client, fields: Record<string, string> = {}) => ({
  grant_type: 'client_credentials',
  client_id: tokenId,
  client_secret: tokenValue,
  ...fields,
});

/** Sends a token request from a network of its own. */
export const requestToken = (
  { url }: { url: string },
  form: Record<string, string> | string,
  { path, headers }: Sent = {},
): Promise<Response> => exchange(url, form, { path, headers: { ...newNetwork(), ...headers } });

/** Starts a service behind a proxy, on which the tokens of clients are exchanged; each test has a new organization. */
export function useParents(env: NodeJS.ProcessEnv = {}) {
  const environment = { TRUST_PROXY: '1', RATE_LIMIT_PER_MINUTE: '100000', ...env };
  let service: TestService | undefined;
  let admin: Client | undefined;
  let replica: Replica | undefined;
  beforeAll(async () => void (service = await startService(environment)));
  beforeEach(async () => void (admin = await service!.client()));
  afterAll(async () => {
    await replica?.close();
    await service?.close();
  });

  return {
    service: late(() => service!),

    /** An administrator of the organization of this test. */
    admin: late(() => admin!),

    /** A new token of the organization. */
    async aParent(fields: object = {}): Promise<Client> {
      const input = { name: 'CRM', scopes: ['users:read', 'users:write'], ...fields };
      const { id: tokenId, token: value } = (await admin!.post('/v1/tokens', input).expect(201)).body;
      return new Client(service!.url, { organizationId: admin!.organizationId, tokenId, value });
    },

    /** Exchanges the token of a client, and returns a client with the new one. */
    async childOf(parent: Client, fields: Record<string, string> = {}): Promise<Client> {
      const { status, body } = await requestToken(service!, formOf(parent, fields));
      expect([status, body.error_description]).toEqual([200, undefined]);
      return parent.withValue(body.access_token);
    },

    /** The records of the children, newest first. */
    childrenOf: async ({ tokenId }: Client) =>
      (await admin!.get(`/v1/tokens?parent=${tokenId}&limit=200`).expect(200)).body.data,

    /** Another process on the same database. */
    replica: async (): Promise<Replica> => (replica ??= await startReplica(service!, environment)),
  };
}

/** Adds so many children of a token at once, which end in so many hours, and returns their ids. */
export async function addChildren(
  { dataSource }: TestService,
  { organizationId, tokenId }: Pick<Client, 'organizationId' | 'tokenId'>,
  count: number,
  { hours = 1, isRevoked = false } = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('tok'));
  await dataSource.query(
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes, created_at, expires_at, revoked_at,
       parent_id, window_id, warned_days)
     SELECT id, $2, 'CRM', sha256(id::bytea), 'umt_0000…0000', '{users:read}',
       now() + ($4 - 1) * interval '1 hour' + n * interval '1 millisecond', now() + $4 * interval '1 hour', CASE WHEN $5 THEN now() END, $3, $3, 0
     FROM unnest($1::text[]) WITH ORDINALITY AS ids (id, n)`,
    [ids, organizationId, tokenId, hours, isRevoked],
  );
  return ids;
}
