/** The reason why a user could not sign in, in words for that user. */
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

export const tooManyAttempts = (seconds: number) =>
  new SignInFailure(
    429,
    'Too many sign-ins',
    `There have been too many sign-ins from your network. Try again in ${Math.ceil(seconds / 60)} minutes, or use an API token.`,
    ['If everybody sees this: set TRUST_PROXY, so that the service knows the addresses of its callers.'],
    seconds,
  );
