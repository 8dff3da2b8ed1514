import { notExchanged } from './api-error.ts';
import type { AssertionCredentials, ClientCredentials, ConnectionOptions, Credentials } from './options.ts';
import { request, setOnBehalfOf, waitFor } from './request.ts';
import type { AccessToken } from './types.ts';

/** How long before its end a token is replaced, so that no request arrives after it; half its life if that is less. */
const MARGIN_MS = 60_000;

/** Exchanges credentials for short-lived tokens, and keeps the current one in memory. */
export class AccessTokens {
  readonly #credentials: Credentials;
  readonly #baseUrl: string;
  readonly #options: ConnectionOptions;
  #kept: { value: string; renewAt: number } | undefined;
  #pending: Promise<string> | undefined;

  constructor(credentials: Credentials, baseUrl: string, options: ConnectionOptions) {
    const { clientId, clientSecret, assertion, scopes } = credentials;
    const isAssertion =
      typeof assertion === 'function' && clientId === undefined && clientSecret === undefined;
    if (!isAssertion && (assertion !== undefined || !clientId || !clientSecret))
      throw new TypeError('credentials must be { clientId, clientSecret } or { assertion }, a function.');
    // The service would give all scopes.
    if (scopes?.length === 0)
      throw new TypeError('credentials.scopes is empty. Leave it out to ask for all.');
    this.#credentials = credentials;
    this.#baseUrl = baseUrl;
    this.#options = options;
  }

  /** A token that is not about to end. Calls that need a new one at the same time share one exchange. */
  current(): string | Promise<string> {
    if (this.#kept && Date.now() < this.#kept.renewAt) return this.#kept.value;
    // The exchange has no signal of a call, because an aborted call must not fail the others.
    this.#pending ??= waitFor(this.#exchange(), { timeoutMs: this.#options.timeoutMs }).finally(
      () => (this.#pending = undefined),
    );
    return this.#pending;
  }

  /** Stops using a token that the service refuses. */
  discard(value: string): void {
    if (this.#kept?.value === value) this.#kept = undefined;
  }

  async #exchange(): Promise<string> {
    const { fetch = globalThis.fetch, timeoutMs } = this.#options;
    const init = await requestOf(this.#credentials, this.#options.onBehalfOf);
    const sentAt = Date.now();
    const { response, body } = await request(fetch, `${this.#baseUrl}${PATH}`, init, { timeoutMs });
    const { access_token: value, expires_in: seconds } = (body ?? {}) as Partial<AccessToken>;
    if (!response.ok || typeof value !== 'string' || typeof seconds !== 'number')
      throw notExchanged(response, body);
    const lifeMs = seconds * 1000;
    this.#kept = { value, renewAt: sentAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 2) };
    return value;
  }
}

// As TOKENS in index.ts: a gateway may forward only /api.
const PATH = 'api/oauth/token';

async function requestOf(credentials: Credentials, onBehalfOf?: string): Promise<RequestInit> {
  const { headers, form } =
    credentials.assertion === undefined ? secretOf(credentials) : await assertionOf(credentials);
  if (credentials.scopes) form.set('scope', credentials.scopes.join(' '));
  setOnBehalfOf(headers, onBehalfOf);
  // A redirect could send the assertion to another server.
  return { method: 'POST', headers, body: form, redirect: 'error' };
}

function secretOf({ clientId, clientSecret }: ClientCredentials) {
  return {
    headers: new Headers({ Authorization: `Basic ${btoa(`${encoded(clientId)}:${encoded(clientSecret)}`)}` }),
    form: new URLSearchParams({ grant_type: 'client_credentials' }),
  };
}

async function assertionOf({ assertion, organizationId }: AssertionCredentials) {
  const value = await assertion();
  if (!value) throw new TypeError('The assertion is empty. credentials.assertion must return a JWT.');
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: value,
  });
  if (organizationId !== undefined) form.set('organization_id', organizationId);
  return { headers: new Headers(), form };
}

/** In the form encoding, which RFC 6749 requires of both parts before they are joined by a colon. */
const encoded = (part: string): string => new URLSearchParams({ '': part }).toString().slice(1);
