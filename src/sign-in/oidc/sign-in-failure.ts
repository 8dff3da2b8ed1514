import { type ClaimRule, type Claims, claimsOf, valuesOf } from '../../platform/issuers/claim-rules';

/** The reason why a person could not sign in, in words for that person. */
export class SignInFailure extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    /** Advice for an administrator. */
    readonly forAdministrator?: string[],
    /** In seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export const attemptIsOver = () =>
  new SignInFailure(
    400,
    'This sign-in is over',
    'It took longer than 10 minutes, it was used already, or you have begun another one since. Begin again.',
  );

export const issuerUnreachable = (issuer: string) =>
  new SignInFailure(
    503,
    'The sign-in service does not answer',
    `${issuer} cannot be reached at the moment. Try again, or sign in with an API token.`,
  );

export const notVerified = (issuer: string) =>
  new SignInFailure(
    400,
    'The answer could not be verified',
    `What ${issuer} has answered is not a valid sign-in for this service.`,
    ["The service's log has the reason: look for “sign-in”."],
  );

export const suspended = (issuer: string) =>
  new SignInFailure(
    403,
    'Your organization is suspended',
    `${issuer} has signed you in, but nobody can use the dashboard of a suspended organization. Ask the operator of the service.`,
    ['The operator resumes it with: ums organizations resume <id>'],
  );

export const tooManyAttempts = (seconds: number) =>
  new SignInFailure(
    429,
    'Too many sign-ins',
    `There have been too many sign-ins from your network. Try again in ${Math.ceil(seconds / 60)} minutes, or use an API token.`,
    ['If everybody sees this: set TRUST_PROXY, so that the service knows the addresses of its callers.'],
    seconds,
  );

/** Names the claims, but not their values, so that the text can be sent to somebody. */
export function noRule(issuer: string, rules: readonly ClaimRule[], claims: Claims): SignInFailure {
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
  if (name !== 'email') return 'sent without a value';
  return claims.email_verified === true ? 'sent, but not as one address' : 'not verified by the issuer';
}

export const tooManyValues = () =>
  new SignInFailure(
    403,
    'Too many rules',
    'More rules of this service match you than fit into a cookie. Sign in with an API token.',
    ['Let fewer values of the claims in OIDC_ADMINS match one person: one value may stand in many rules.'],
  );
