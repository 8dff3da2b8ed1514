import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { areSuspended } from '../../organizations/suspension';
import { isPagePath } from '../../dashboard/dashboard.files';
import { Database } from '../../platform/database/database';
import { type NetworkLimit, NetworkLimiter } from '../../platform/rate-limit/network-limiter';
import { type Claims, grantsOf } from '../../platform/issuers/claim-rules';
import { type SignedInPerson, SignInSource, type SignInStatus } from '../source/sign-in-source';
import { displayName } from '../../platform/issuers/subject-name';
import { matchingClaims } from './admin-rules';
import { type AttemptSecrets, type Identity, Issuer } from './issuer';
import { SignInCookie } from './sign-in-cookie';
import {
  attemptIsOver,
  noRule,
  SignInFailure,
  suspended,
  tooManyAttempts,
  tooManyValues,
} from './sign-in-failure';
import { OidcSettings } from './sign-in-settings';
import { UsedAttempts } from './used-attempts';

const ATTEMPT_MS = 10 * 60_000;

/** Anybody can begin an attempt and end it with a made-up code, which costs a row and a request to the issuer. */
const ATTEMPTS: NetworkLimit = { name: 'sign-in', limit: 600, per: 'hour' };

/** The content of the cookie while the person is at the issuer. */
interface SignInAttempt extends AttemptSecrets {
  id: string;
  expiresAt: number;
  isSilent: boolean;
  /** The address below `/dashboard` to return to. */
  to: string;
}

/** The content of the cookie until the page fetches the token. */
interface CompletedSignIn extends Omit<SignedInPerson, 'organizations'> {
  id: string;
  expiresAt: number;
  /** The claims that match rules. */
  claims: Claims;
  /** Left out if it would not fit into the cookie. */
  idToken?: string;
}

/** A person who has completed a sign-in, and not fetched a token yet. */
type OidcPerson = Omit<CompletedSignIn, 'claims'> & SignedInPerson;

/**
 * Signing in at the issuer; each sign-in yields one token. The state of an attempt is in an encrypted cookie of the
 * browser, so that any replica can finish it; the database knows only which are used up. During an upgrade, the former
 * version opens these cookies, too, so their fields and purposes (`round`, `signed in`) keep their names.
 */
@Injectable()
export class OidcSignIn extends SignInSource {
  private readonly cookie: SignInCookie;

  constructor(
    private readonly settings: OidcSettings,
    private readonly issuer: Issuer,
    private readonly used: UsedAttempts,
    private readonly limiter: NetworkLimiter,
    private readonly database: Database,
  ) {
    super();
    this.cookie = new SignInCookie(settings);
  }

  /**
   * Begins an attempt, and returns the address of the issuer. The person comes back to `to`, if that is an address of
   * the page below `/dashboard`.
   */
  async begin(response: Response, isSilent: boolean, to: string): Promise<string> {
    const attempt: SignInAttempt = {
      ...this.issuer.newSecrets(),
      ...newAttempt(),
      isSilent,
      to: isPagePath(`/dashboard${to}`) ? to : '',
    };
    const url = await this.issuer.authorizationUrl(attempt, isSilent);
    this.cookie.set(response, 'round', attempt);
    return url;
  }

  /** Finishes an attempt with the issuer's answer, and returns the address of the page. Throws a `SignInFailure`. */
  async finish(request: Request, response: Response, answer: URLSearchParams): Promise<string> {
    const attempt = this.cookie.read<SignInAttempt>(request, 'round');
    if (!attempt || answer.getAll('state').join() !== attempt.state) throw attemptIsOver();
    const { isBlocked, timeToExpire } = await this.limiter.count(request.ip, ATTEMPTS);
    if (isBlocked) throw tooManyAttempts(timeToExpire);
    if (!(await this.used.consume(attempt.id, new Date(attempt.expiresAt)))) throw attemptIsOver();
    const identity = await this.issuer.identify(answer, attempt);
    const url = `${this.settings.publicUrl}/dashboard${attempt.to}`;
    if (!identity) {
      if (!attempt.isSilent)
        throw new SignInFailure(403, 'You are not signed in', `${this.issuer.name} has not signed you in.`);
      this.cookie.clear(response);
      return url;
    }
    const { claims, idToken } = identity;
    const { rules } = this.settings;
    const grants = grantsOf(rules, claims);
    if (grants.length === 0) throw noRule(this.issuer.name, rules, claims);
    const ids = grants.map(({ organizationId }) => organizationId);
    if (await areSuspended(this.database, ids)) throw suspended(this.issuer.name);
    const completed: CompletedSignIn = {
      ...newAttempt(),
      ...personOf(claims),
      claims: matchingClaims(rules, claims),
    };
    const set = (content: CompletedSignIn) => this.cookie.set(response, 'signed in', content);
    if (!set({ ...completed, idToken }) && !set(completed)) throw tooManyValues();
    return url;
  }

  async status(request: Request): Promise<SignInStatus> {
    return {
      issuer: this.issuer.name,
      available: await this.issuer.isAvailable(),
      url: `${this.settings.publicUrl}/dashboard/sign-in`,
      signedIn: (await this.find(request)) !== null,
    };
  }

  isOwnOrigin({ headers }: Request): boolean {
    return headers.origin === new URL(this.settings.publicUrl).origin;
  }

  /** The person who has completed a sign-in in this browser and not fetched a token yet, by the rules of now. */
  async find(request: Request): Promise<OidcPerson | null> {
    const completed = this.cookie.read<CompletedSignIn>(request, 'signed in');
    if (!completed || completed.expiresAt <= Date.now()) return null;
    const { claims, ...signedIn } = completed;
    const organizations = grantsOf(this.settings.rules, claims);
    return organizations.length > 0 ? { ...signedIn, organizations } : null;
  }

  consume({ id, expiresAt }: OidcPerson, response: Response): Promise<boolean> {
    this.cookie.clear(response);
    return this.used.consume(id, new Date(expiresAt));
  }

  signOutUrl({ idToken }: OidcPerson): Promise<string | null> {
    return this.issuer.endSessionUrl(idToken);
  }
}

const newAttempt = () => ({ id: randomUUID(), expiresAt: Date.now() + ATTEMPT_MS });

/** The person as the token's creator, and the name of the token: the person's email address or subject. */
function personOf(claims: Identity['claims']): Omit<SignedInPerson, 'organizations'> {
  const { iss, sub, name, preferred_username, email } = claims;
  return {
    person: { issuer: iss, subject: sub, name: displayName(name, preferred_username, email, sub) },
    tokenName: displayName(email, sub),
  };
}
