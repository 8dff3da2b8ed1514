import type { Request, Response } from 'express';
import { readCookie, setCookie } from './cookies';
import type { OidcSignIn, SignedIn } from './oidc-sign-in';
import type { SignInState, Visitors } from '../source/sign-in-source';

/** People who have signed in at the issuer. Each sign-in yields one token. */
export class OidcVisitors implements Visitors {
  constructor(private readonly signIn: OidcSignIn) {}

  async state(request: Request): Promise<SignInState> {
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

  async find(request: Request): Promise<SignedIn | null> {
    return this.signIn.signedIn(readCookie(request, this.signIn.settings.publicUrl)) ?? null;
  }

  claim(visitor: SignedIn, response: Response): Promise<boolean> {
    setCookie(response, this.signIn.settings.publicUrl, '');
    return this.signIn.claim(visitor);
  }

  signOutUrl = ({ idToken }: SignedIn): Promise<string | null> => this.signIn.issuer.endSessionUrl(idToken);
}
