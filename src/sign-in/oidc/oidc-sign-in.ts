import { randomUUID } from 'node:crypto';
import { isPagePath } from '../../dashboard/dashboard.files';
import type { Person } from '../../tokens/token.entity';
import { type AdminRule, type Claims, claimsOf, grantsOf, matchingClaims, valuesOf } from './admin-rules';
import type { Issuer, RoundSecrets } from './issuer';
import { SealedCookie } from './sealed-cookie';
import type { NetworkLimiter } from '../../rate-limit/network-limiter';
import { personOf } from '../source/user-name';
import { roundIsOver, SignInFailure, tooManyRounds } from './sign-in-failure';
import type { OidcSettings } from '../sign-in.options';
import type { SpentRounds } from './used-attempts';
import type { Visitor } from '../source/sign-in-source';

const ROUND_MS = 10 * 60_000;

/** Anybody can begin a round and end it with a made-up code, which costs a row and a request to the issuer. */
const ROUNDS_PER_HOUR = 600;

/** What the cookie carries while the person is at the issuer. */
interface Round extends RoundSecrets {
  id: string;
  expiresAt: number;
  isSilent: boolean;
  /** Where the person was on the page. */
  to: string;
}

/** What the cookie carries until the page fetches the token. */
interface Finished {
  id: string;
  expiresAt: number;
  person: Person;
  tokenName: string;
  /** Those that match rules. */
  claims: Claims;
  /** Left out if it would not fit into the cookie. */
  idToken?: string;
}

/** A person who has finished a round, and not fetched a token yet. */
export type SignedIn = Omit<Finished, 'claims'> & Visitor;

/** Where the browser goes next, and what its cookie is from then on. */
export interface Step {
  url: string;
  cookie: string;
}

/**
 * The rounds of signing in. All that belongs to one is in a cookie of the browser, encrypted, so that any replica can finish it; only
 * that it is used up is in the database.
 */
export class OidcSignIn {
  private readonly cookie: SealedCookie;

  constructor(
    readonly settings: OidcSettings,
    readonly issuer: Issuer,
    private readonly spent: SpentRounds,
    private readonly limiter: NetworkLimiter,
  ) {
    this.cookie = new SealedCookie(settings.key ?? settings.clientSecret);
  }

  /** Begins a round. The person comes back to `to`, if that is an address of the page below `/dashboard`. */
  async begin(isSilent: boolean, to: string): Promise<Step> {
    const round: Round = {
      ...this.issuer.newSecrets(),
      ...newRound(),
      isSilent,
      to: isPagePath(`/dashboard${to}`) ? to : '',
    };
    const url = await this.issuer.authorizationUrl(round, isSilent);
    return { url, cookie: this.cookie.seal('round', round)! };
  }

  /** Finishes a round with the issuer's response, of which parameters that are not known are ignored. Throws a `SignInFailure`. */
  async finish(response: URLSearchParams, cookie: string, address?: string): Promise<Step> {
    const round = this.cookie.open<Round>('round', cookie);
    if (!round || response.getAll('state').join() !== round.state) throw roundIsOver();
    const { isBlocked, timeToExpire } = await this.limiter.count(address, ROUNDS_PER_HOUR);
    if (isBlocked) throw tooManyRounds(timeToExpire);
    if (!(await this.spent.spend(round.id, new Date(round.expiresAt)))) throw roundIsOver();
    const identity = await this.issuer.identify(response, round);
    const url = `${this.settings.publicUrl}/dashboard${round.to}`;
    if (!identity) {
      if (round.isSilent) return { url, cookie: '' };
      throw new SignInFailure(403, 'You are not signed in', `${this.issuer.name} has not signed you in.`);
    }
    const { claims, idToken } = identity;
    const { rules } = this.settings;
    if (grantsOf(rules, claims).length === 0) throw noRule(this.issuer.name, rules, claims);
    const finished: Finished = { ...newRound(), ...personOf(claims), claims: matchingClaims(rules, claims) };
    const sealed =
      this.cookie.seal('signed in', { ...finished, idToken }) ?? this.cookie.seal('signed in', finished);
    if (sealed === undefined) throw tooManyValues();
    return { url, cookie: sealed };
  }

  /** The person who has finished a round in this browser and not fetched a token yet, with what the rules give now. */
  signedIn(cookie: string): SignedIn | undefined {
    const finished = this.cookie.open<Finished>('signed in', cookie);
    if (!finished || finished.expiresAt <= Date.now()) return undefined;
    const { claims, ...signedIn } = finished;
    const grants = grantsOf(this.settings.rules, claims);
    return grants.length > 0 ? { ...signedIn, grants } : undefined;
  }

  /** Returns whether nobody has fetched the token before. */
  claim = ({ id, expiresAt }: SignedIn): Promise<boolean> => this.spent.spend(id, new Date(expiresAt));
}

const newRound = () => ({ id: randomUUID(), expiresAt: Date.now() + ROUND_MS });

/** Names the claims, but not their values, so that the text can be sent to somebody. */
function noRule(issuer: string, rules: readonly AdminRule[], claims: Claims): SignInFailure {
  const states = claimsOf(rules).map((name) => `${name}: ${stateOf(claims, name)}`);
  return new SignInFailure(
    403,
    'You may not use this dashboard',
    `${issuer} has signed you in, but no rule of this service gives you access. Send the following to an administrator of the service.`,
    states.length === 0
      ? ['The service has no rules. Add one to OIDC_ADMINS.']
      : [
          'These claims of the ID token were looked at:',
          ...states,
          'What is missing: a rule in OIDC_ADMINS, of the form claim=value -> organization, for a value of one of these claims; or the claim in the ID token, where it was not sent.',
        ],
  );
}

function stateOf(claims: Claims, name: string): string {
  if (valuesOf(claims, name).length > 0) return 'sent, but no rule has its value';
  if (!Object.hasOwn(claims, name)) return 'not sent by the issuer';
  return name === 'email' ? 'not verified by the issuer' : 'sent without a value';
}

const tooManyValues = () =>
  new SignInFailure(
    403,
    'Too many rules',
    'More rules of this service match you than fit into a cookie. Sign in with an API token.',
    ['Let fewer values of the claims in OIDC_ADMINS match one person: one value may stand in many rules.'],
  );
