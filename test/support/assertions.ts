import type { JWTPayload } from 'jose';
import type { Response } from 'supertest';
import { JwtBearerGrant } from '../../src/oauth/jwt-bearer.grant';
import { newId } from '../../src/platform/database/id';
import { Client } from './client';
import { type FakeIssuer, sign, startIssuer } from './issuer';
import { late } from './late';
import { exchange, newNetwork, type Sent } from './oauth';
import { type Replica, startReplica, startService, type TestService } from './service';

export { expectFailure } from './oauth';

export const AUDIENCE = 'https://users.example.com';
export const [ACME, GLOBEX] = [newId('org'), newId('org')];

/** The subject that the rule lets in, unless a suite has rules of its own. */
export const SUBJECT = 'repo:acme/crm:ref:refs/heads/main';

const standardRule = (issuer: string) => `${issuer} sub=${SUBJECT} -> ${ACME} users:read users:write`;

/** A time, as JWTs have it. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** Claims that are accepted. */
export const goodClaims = (iss: string): JWTPayload => ({
  iss,
  aud: AUDIENCE,
  sub: SUBJECT,
  iat: inSeconds(0),
  exp: inSeconds(2 * 3600),
});

/** An assertion of the issuer. What is undefined is left out. */
export const assertionOf = (issuer: FakeIssuer, claims: object = {}, signature = issuer.signature) =>
  sign({ ...goodClaims(issuer.url), ...claims }, signature);

/** Sends an assertion. Each comes from a network of its own, because the failures of one are limited. */
export function present(
  { url }: { url: string },
  assertion: string,
  fields: Record<string, string> = {},
  { path, headers }: Sent = {},
): Promise<Response> {
  const form = { grant_type: JwtBearerGrant.type, assertion, ...fields };
  return exchange(url, form, { path, headers: { ...newNetwork(), ...headers } });
}

/**
 * Starts an issuer, and a service on which these rules let its subjects in to Acme and Globex. No assertion may be in
 * the log.
 */
export function useAssertions(
  rulesOf = (issuer: string) => [standardRule(issuer)],
  more: NodeJS.ProcessEnv = {},
) {
  let issuer: FakeIssuer | undefined;
  let service: TestService | undefined;
  const env: NodeJS.ProcessEnv = { PUBLIC_URL: AUDIENCE, TRUST_PROXY: '1', ...more };
  beforeAll(async () => {
    issuer = await startIssuer();
    env.TOKEN_ISSUERS ??= rulesOf(issuer.url).join();
    service = await startService(env);
    const organizations = `INSERT INTO organizations (id, name) VALUES ($1, 'Acme'), ($2, 'Globex')`;
    await service.dataSource.query(organizations, [ACME, GLOBEX]);
  });
  afterAll(async () => {
    await service?.close();
    await issuer?.down();
    expect(service?.logs.join('')).not.toContain('eyJ');
  });
  const others: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const other of others.splice(0)) await other.close();
  });

  return {
    issuer: late(() => issuer!),
    service: late(() => service!),

    /** Exchanges a new assertion with these claims. */
    exchanged: async (
      claims: object = {},
      fields: Record<string, string> = {},
      at: { url: string } = service!,
    ) => present(at, await assertionOf(issuer!, claims), fields),

    /** A client with the token that an exchange has made. */
    clientWith: ({ body }: Response) => new Client(service!.url, { value: body.access_token }),

    async replica(changes: NodeJS.ProcessEnv = {}): Promise<Replica> {
      const replica = await startReplica(service!, { ...env, ...changes });
      others.push(replica);
      return replica;
    },
  };
}
