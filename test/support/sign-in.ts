import type { NewToken } from '../../client/index';
import { newId } from '../../src/platform/database/id';
import { Browse } from './browse';
import { type FakeIssuer, startIssuer } from './issuer';
import { late } from './late';
import { type Replica, startReplica, startService, type TestService } from './service';

export const PUBLIC_URL = 'http://127.0.0.1:9';
export const [ACME, GLOBEX] = [newId('org'), newId('org')];
export const RULES = [
  `groups=Admins -> ${ACME}`,
  `groups=Readers -> ${ACME} users:read`,
  `groups=Writers -> ${ACME} users:write`,
  `groups=Globex -> ${GLOBEX}`,
  `email=ada@example.com -> ${ACME}`,
].join(', ');

/**
 * Starts an issuer, and a service where its people can sign in. Before each test, it tells of Ada, who is an admin of
 * Acme.
 */
export function useSignIn() {
  let issuer: FakeIssuer | undefined;
  let service: TestService | undefined;
  const env: NodeJS.ProcessEnv = {};
  beforeAll(async () => {
    issuer = await startIssuer();
    Object.assign(env, {
      PUBLIC_URL,
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: issuer.clientId,
      OIDC_CLIENT_SECRET: issuer.clientSecret,
      OIDC_ADMINS: RULES,
      TRUST_PROXY: '1', // so that X-Forwarded-Host counts wherever the request's host does
    });
    service = await startService(env);
    await service.dataSource.query(
      `INSERT INTO organizations (id, name) VALUES ($1, 'Acme'), ($2, 'Globex')`,
      [ACME, GLOBEX],
    );
  });
  afterAll(async () => {
    await service?.close();
    await issuer?.down();
  });
  /** What a test has started in addition, also if it fails. */
  const others: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    jest.restoreAllMocks(); // they close by the real clock
    for (const other of others.splice(0)) await other.close();
  });
  beforeEach(() => {
    issuer!.claims = { groups: ['Admins'], name: 'Ada Lovelace', email: 'ada@example.com' };
    issuer!.hasSession = true;
    issuer!.spoil(() => {});
  });

  const browse = (at: Pick<TestService, 'url'> = service!) => new Browse(at, PUBLIC_URL);
  return {
    issuer: late(() => issuer!),
    service: late(() => service!),
    env,
    browse,

    async another(env: NodeJS.ProcessEnv): Promise<TestService> {
      const service = await startService(env);
      others.push(service);
      return service;
    },

    /** Another process on the same database. */
    async replica(changes: NodeJS.ProcessEnv = {}): Promise<Replica> {
      const replica = await startReplica(service!, { ...env, ...changes });
      others.push(replica);
      return replica;
    },

    async anotherIssuer(): Promise<FakeIssuer> {
      const issuer = await startIssuer();
      others.push({ close: () => issuer.down() });
      return issuer;
    },

    /** Signs in, and returns the answer with the token's value, as the page gets it. */
    async session(browser = browse()) {
      expect((await browser.signIn()).status).toBe(303);
      const response = await browser.fetchSession();
      expect(response.status).toBe(201);
      return (await response.json()) as NewToken & { signOutUrl: string };
    },
  };
}

/** What is refused shows a page, sets no cookie, and gives no token. */
export async function expectRefused(
  browser: Browse,
  response: Response,
  status: number,
  what = '',
): Promise<string> {
  const page = await response.text();
  expect([what, response.status, page]).toEqual([what, status, expect.stringContaining('<h1>')]);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(response.headers.getSetCookie()).toEqual([]);
  expect((await browser.fetchSession()).status).toBe(401);
  return page;
}
