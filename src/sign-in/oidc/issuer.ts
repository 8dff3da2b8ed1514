import { Logger } from '@nestjs/common';
import type * as openidClient from 'openid-client';
import { describeError } from '../../platform/database/errors';
import { isSubject } from '../../platform/issuers/subject-name';
import { boundedFetch } from '../../platform/issuers/bounded-fetch';
import type { Claims } from '../../platform/issuers/claim-rules';
import { notInstalled } from '../../platform/feature/not-installed';
import { isUnavailable, reasonsOf } from '../../platform/issuers/issuer-errors';
import { issuerUnreachable, notVerified, SignInFailure } from './sign-in-failure';
import type { OidcSettings } from './sign-in-settings';

type Library = typeof openidClient;

/** The timeout of a request to the issuer. */
const TIMEOUT_S = 5;

/** The time for which an answer of the issuer, or its failure to answer, is kept. */
const FRESH_MS = 10_000;
const UNREACHABLE_MS = 2_000;

/** The tolerance for clocks that differ, in seconds; the same as the library's. */
const TOLERANCE_S = 30;

/** The parameters of an authorization response that are read. Others are ignored. */
const PARAMETERS = ['code', 'state', 'iss', 'error'];

/** Errors that mean: the person must interact, so `prompt=none` has failed. */
const INTERACTIVE = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];

/** The secrets of a sign-in attempt: state, nonce and PKCE code verifier. */
export interface AttemptSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** The identity of a person who has signed in. */
export interface Identity {
  claims: Claims & { iss: string; sub: string };
  idToken: string;
}

/** An OpenID Connect client of the issuer. */
export class Issuer {
  private readonly logger = new Logger('SignIn');
  private isReachable = true;
  private current?: { until: number; configuration: Promise<openidClient.Configuration> };

  private constructor(
    private readonly library: Library,
    private readonly settings: OidcSettings,
    private readonly wantedScopes: readonly string[],
  ) {}

  /** Loads the library, even if the issuer is unreachable. `wantedScopes` are requested if the issuer has them. */
  static async open(settings: OidcSettings, wantedScopes: readonly string[]): Promise<Issuer> {
    const library = await import('openid-client').catch(notInstalled('openid-client', 'OIDC_ISSUER'));
    const issuer = new Issuer(library, settings, wantedScopes);
    issuer.configuration().catch(() => {}); // asked again when it is needed
    return issuer;
  }

  /** For people. */
  get name(): string {
    return new URL(this.settings.issuer).host;
  }

  async isAvailable(): Promise<boolean> {
    return this.configuration().then(
      () => true,
      () => false,
    );
  }

  newSecrets(): AttemptSecrets {
    const { randomState, randomNonce, randomPKCECodeVerifier } = this.library;
    return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  }

  /** The address at which a browser signs in; if `isSilent`, only without asking the person anything. */
  async authorizationUrl({ state, nonce, verifier }: AttemptSecrets, isSilent: boolean): Promise<string> {
    const configuration = await this.configuration();
    const { scopes_supported: supported = [] } = configuration.serverMetadata();
    const scopes = new Set(['openid', 'profile', 'email']);
    for (const scope of this.wantedScopes) if (supported.includes(scope)) scopes.add(scope);
    return this.library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: [...scopes].join(' '),
      state,
      nonce,
      code_challenge: await this.library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isSilent && { prompt: 'none' }),
    }).href;
  }

  /** Exchanges the code of an authorization response. Null if the issuer would have had to ask the person something. */
  async identify(response: URLSearchParams, secrets: AttemptSecrets): Promise<Identity | null> {
    const configuration = await this.configuration();
    // Built from the settings, because the Host of a request may be anything.
    const url = new URL(this.redirectUri);
    for (const [name, value] of response) if (PARAMETERS.includes(name)) url.searchParams.append(name, value);
    try {
      const tokens = await this.library.authorizationCodeGrant(configuration, url, {
        expectedState: secrets.state,
        expectedNonce: secrets.nonce,
        pkceCodeVerifier: secrets.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // The library checks `exp` and `nbf`.
      if (claims.iat > Date.now() / 1000 + TOLERANCE_S) throw new Error('the ID token is from the future');
      if (!isSubject(claims.sub)) throw new Error('the subject is too long, or has control characters');
      return { claims, idToken: tokens.id_token! };
    } catch (error) {
      if (error instanceof this.library.AuthorizationResponseError && INTERACTIVE.includes(error.error))
        return null;
      throw this.failureOf(error);
    }
  }

  /** The address at which a browser signs out; null if the issuer has none. */
  async endSessionUrl(idToken?: string): Promise<string | null> {
    const configuration = await this.configuration().catch(() => undefined);
    if (!configuration?.serverMetadata().end_session_endpoint) return null;
    return this.library.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${this.settings.publicUrl}/dashboard`,
      ...(idToken && { id_token_hint: idToken }),
    }).href;
  }

  private get redirectUri(): string {
    return `${this.settings.publicUrl}/dashboard/callback`;
  }

  private configuration(): Promise<openidClient.Configuration> {
    const now = performance.now();
    if (this.current && now < this.current.until) return this.current.configuration;
    const current = { until: Infinity, configuration: this.discover() };
    this.current = current;
    const keepFor = (ms: number) => (current.until = performance.now() + ms);
    current.configuration.then(
      () => keepFor(FRESH_MS),
      () => keepFor(UNREACHABLE_MS),
    );
    return current.configuration;
  }

  private async discover(): Promise<openidClient.Configuration> {
    const { library, settings } = this;
    const { issuer, clientId, clientSecret } = settings;
    try {
      const configuration = await library.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: TIMEOUT_S,
        [library.customFetch]: (url, options) => boundedFetch(url, options as RequestInit),
        execute: [
          library.enableNonRepudiationChecks, // verifies signatures, which the library leaves to TLS by default
          ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
        ],
      });
      // The library accepts any tenant of Microsoft for an issuer that stands for all of them.
      const { issuer: found } = configuration.serverMetadata();
      if (new URL(found).href !== new URL(issuer).href) throw new Error('the issuer has another identifier');
      if (!this.isReachable) this.logger.warn('The issuer answers again.');
      this.isReachable = true;
      return configuration;
    } catch (error) {
      if (this.isReachable) this.log('The issuer does not answer; people cannot sign in.', error);
      this.isReachable = false;
      throw issuerUnreachable(this.name);
    }
  }

  private failureOf(error: unknown): SignInFailure {
    const { AuthorizationResponseError } = this.library;
    if (error instanceof AuthorizationResponseError) {
      const code = /^\w{1,64}$/.test(error.error) ? error.error : 'unknown';
      return new SignInFailure(
        403,
        'The sign-in was refused',
        `${this.name} has not signed you in. Its reason: ${code}.`,
      );
    }
    this.log('A sign-in has failed.', error);
    return isUnavailable(error) ? issuerUnreachable(this.name) : notVerified(this.name);
  }

  private log(message: string, error: unknown): void {
    const reasons = reasonsOf(error);
    const code = (error as { error?: unknown }).error; // of the token endpoint, such as `invalid_client`
    this.logger.warn({ message, reasons, code, error: describeError(error) });
  }
}
