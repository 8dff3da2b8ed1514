import type { Request, Response } from 'express';
import { SignInSource, type SignInStatus } from '../source/sign-in-source';
import { readCookie, setCookie } from './cookies';
import type { OidcSignIn, OidcUser } from './oidc-sign-in';

/** Users who have signed in at the issuer. Each sign-in yields one token. */
export class OidcSignInSource extends SignInSource {
  constructor(private readonly signIn: OidcSignIn) {
    super();
  }

  async status(request: Request): Promise<SignInStatus> {
    const { issuer, settings } = this.signIn;
    return {
      issuer: issuer.name,
      available: await issuer.isAvailable(),
      url: `${settings.publicUrl}/dashboard/sign-in`,
      signedIn: (await this.find(request)) !== null,
    };
  }

  isOwnOrigin({ headers }: Request): boolean {
    return headers.origin === new URL(this.signIn.settings.publicUrl).origin;
  }

  async find(request: Request): Promise<OidcUser | null> {
    return this.signIn.signedInUser(readCookie(request, this.signIn.settings.publicUrl)) ?? null;
  }

  consume(user: OidcUser, response: Response): Promise<boolean> {
    setCookie(response, this.signIn.settings.publicUrl, '');
    return this.signIn.consume(user);
  }

  signOutUrl({ idToken }: OidcUser): Promise<string | null> {
    return this.signIn.issuer.endSessionUrl(idToken);
  }
}
