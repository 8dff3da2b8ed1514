import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';

/** How a token is signed. */
export interface Signature {
  alg: string;
  kid: string;
  /** The key that signs; null for an unsigned token. */
  key: CryptoKey | Uint8Array | null;
}

/** How the issuer makes an ID token, all of which a test may change. */
export interface IdToken extends Signature {
  claims: JWTPayload;
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
  /** How it signs. */
  signature: Signature;
  /** The keys that it shows. */
  keys: JWK[];
  /** Adds a key, and returns how to sign with it. */
  addKey(alg: string, kid?: string): Promise<Signature>;
  /** The queries of the authorization requests and the bodies of the token requests. */
  requests: { authorization: URLSearchParams[]; token: URLSearchParams[]; paths: string[] };
  /** Answers at a path in place of the issuer, or never, until the returned function is called. */
  answerAt(path: string, answer: (response: ServerResponse) => unknown): () => void;
  /** Stops listening, or listens again at the same address. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export const DISCOVERY = '/.well-known/openid-configuration';

const now = () => Math.floor(Date.now() / 1000);

/** An issuer of OpenID Connect on loopback, where everybody signs in without a question. */
export async function startIssuer(): Promise<FakeIssuer> {
  const { publicKey, signature, jwk } = await newKey('RS256', 'key');
  const codes = new Map<string, URLSearchParams>();
  let spoil: (token: IdToken) => void = () => {};

  const endpoints: Record<string, (parameters: URLSearchParams, response: ServerResponse) => unknown> = {
    [DISCOVERY]: () => ({
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
    '/keys': () => ({ keys: issuer.keys }),
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
      const token: IdToken = { claims, ...issuer.signature };
      spoil(token);
      return { access_token: 'unused', token_type: 'Bearer', id_token: await sign(token.claims, token) };
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
    signature,
    keys: [jwk],
    async addKey(alg, kid = alg) {
      const { jwk, signature } = await newKey(alg, kid);
      issuer.keys.push(jwk);
      return signature;
    },
    requests: { authorization: [], token: [], paths: [] },
    answerAt(path, answer) {
      const own = endpoints[path];
      endpoints[path] = (_parameters, response) => (answer(response), 'answered');
      return () => (endpoints[path] = own);
    },
    spoil: (change) => (spoil = change),
    async down() {
      server.closeAllConnections();
      if (server.listening) await new Promise<void>((done) => server.close(() => done()));
    },
    up: () => listen(port),
  };
  return issuer;
}

/** A key, how to sign with it, and what an issuer shows of it. */
async function newKey(alg: string, kid: string) {
  const { privateKey: key, publicKey } = await generateKeyPair(alg, { extractable: true });
  const signature: Signature = { alg, kid, key };
  return { publicKey, signature, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' } };
}

export const sign = async (claims: JWTPayload, { alg, kid, key }: Signature): Promise<string> =>
  key === null
    ? new UnsecuredJWT(claims).encode()
    : new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key);

/** A key that the issuer does not have. */
export const strangeKey = async () => (await generateKeyPair('RS256')).privateKey;

/** The public key as the bytes of a symmetric one. */
export const asSecret = (publicKey: string): Uint8Array => new TextEncoder().encode(publicKey);
