import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';

/** How the issuer makes an ID token: claims, key and algorithm, each of which a test may change. */
export interface IdToken {
  claims: JWTPayload;
  alg: string;
  /** The key that signs; null for an unsigned token. */
  key: CryptoKey | Uint8Array | null;
}

export interface FakeIssuer {
  url: string;
  clientId: string;
  clientSecret: string;
  /** What it says about the person, apart from the claims of the protocol. */
  claims: JWTPayload;
  /** Whether the person has a session, so that `prompt=none` succeeds. */
  hasSession: boolean;
  /** Spoils the next ID tokens. */
  spoil(change: (token: IdToken) => void): void;
  /** The public key, as text. */
  publicKey: string;
  /** The queries of the authorization requests and the bodies of the token requests. */
  requests: { authorization: URLSearchParams[]; token: URLSearchParams[]; paths: string[] };
  /** Answers at a path in place of the issuer, or never. */
  answerAt(path: string, answer: (response: ServerResponse) => unknown): void;
  /** Stops listening, or listens again at the same address. */
  down(): Promise<void>;
  up(): Promise<void>;
}

const now = () => Math.floor(Date.now() / 1000);

/** An issuer of OpenID Connect on loopback, where everybody signs in without a question. */
export async function startIssuer(): Promise<FakeIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const codes = new Map<string, URLSearchParams>();
  let spoil: (token: IdToken) => void = () => {};

  const endpoints: Record<string, (parameters: URLSearchParams, response: ServerResponse) => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer: issuer.url,
      authorization_endpoint: `${issuer.url}/authorize`,
      token_endpoint: `${issuer.url}/token`,
      jwks_uri: `${issuer.url}/keys`,
      end_session_endpoint: `${issuer.url}/logout`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      scopes_supported: ['openid', 'profile', 'email', 'groups'],
      // More than it uses, so that the client itself must refuse them.
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    }),
    '/keys': async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid: 'key', use: 'sig' }] }),
    '/logout': () => ({}),
    '/authorize': (parameters, response) => {
      issuer.requests.authorization.push(parameters);
      const back = new URL(parameters.get('redirect_uri')!);
      back.searchParams.set('state', parameters.get('state')!);
      if (parameters.get('prompt') === 'none' && !issuer.hasSession) {
        back.searchParams.set('error', 'login_required');
      } else {
        const code = randomUUID();
        codes.set(code, parameters);
        back.searchParams.set('code', code);
        back.searchParams.set('session_state', 'not of interest');
      }
      response.writeHead(302, { Location: back.href }).end();
    },
    '/token': async (parameters, response) => {
      issuer.requests.token.push(parameters);
      const code = codes.get(parameters.get('code')!);
      codes.delete(parameters.get('code')!);
      const challenge = createHash('sha256')
        .update(parameters.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        code?.get('code_challenge') === challenge &&
        code.get('redirect_uri') === parameters.get('redirect_uri') &&
        parameters.get('client_secret') === issuer.clientSecret;
      if (!isRight) return response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
      const protocol = { iss: issuer.url, aud: issuer.clientId, iat: now(), exp: now() + 300 };
      const claims = { ...protocol, nonce: code.get('nonce')!, sub: '00u1', ...issuer.claims };
      const token: IdToken = { claims, alg: 'RS256', key: privateKey };
      spoil(token);
      return { access_token: 'unused', token_type: 'Bearer', id_token: await sign(token) };
    },
  };

  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 0; // or it would close a connection that a busy process is about to use
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://localhost');
    let body = '';
    for await (const chunk of request) body += chunk;
    const parameters = request.method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    response.setHeader('Content-Type', 'application/json');
    issuer.requests.paths.push(url.pathname);
    const answered = await endpoints[url.pathname]?.(parameters, response);
    if (answered !== 'answered' && !response.writableEnded) response.end(JSON.stringify(answered ?? {}));
  }
  const listen = (port: number) =>
    new Promise<void>((done) => server.listen(port, '127.0.0.1', () => done()));
  await listen(0);
  const { port } = server.address() as AddressInfo;

  const issuer: FakeIssuer = {
    url: `http://127.0.0.1:${port}`,
    clientId: 'dashboard',
    clientSecret: 'a secret of the client',
    claims: {},
    hasSession: true,
    publicKey: await exportSPKI(publicKey),
    requests: { authorization: [], token: [], paths: [] },
    answerAt: (path, answer) => (endpoints[path] = (_parameters, response) => (answer(response), 'answered')),
    spoil: (change) => (spoil = change),
    async down() {
      server.closeAllConnections();
      if (server.listening) await new Promise<void>((done) => server.close(() => done()));
    },
    up: () => listen(port),
  };
  return issuer;
}

const sign = ({ claims, alg, key }: IdToken): string | Promise<string> =>
  key === null
    ? new UnsecuredJWT(claims).encode()
    : new SignJWT(claims).setProtectedHeader({ alg, kid: 'key' }).sign(key);

/** A key that the issuer does not have. */
export const strangeKey = async () => (await generateKeyPair('RS256')).privateKey;

/** The public key as the bytes of a symmetric one. */
export const asSecret = (publicKey: string): Uint8Array => new TextEncoder().encode(publicKey);
