import type { Request, Response } from 'express';
import type { Grant } from '../../issuers/claim-rules';
import type { TokenCreatorView } from '../../tokens/token.view';

/** A user who has signed in and may open the dashboard. */
export interface SignedInUser {
  person: TokenCreatorView;
  tokenName: string;
  /** The organizations whose dashboard the user may open. */
  organizations: Grant[];
}

/** The state of signing in, for the page. */
export interface SignInStatus {
  /** The name of the issuer; null in a host application. */
  issuer: string | null;
  /** Whether the issuer answers. */
  available: boolean;
  /** The address that begins a sign-in; null in a host application. */
  url: string | null;
  /** Whether this browser can open a session now. */
  signedIn: boolean;
}

/** Identifies the user behind a request of the page: by the issuer's answer, or by the host application. */
export abstract class SignInSource {
  abstract status(request: Request): Promise<SignInStatus>;
  /** Whether the request comes from the dashboard itself, and not from another page. */
  abstract isOwnOrigin(request: Request): boolean;
  abstract find(request: Request): Promise<SignedInUser | null>;
  /** Uses the sign-in up. Returns whether the user may have a token for it. */
  abstract consume(user: SignedInUser, response: Response): Promise<boolean>;
  /** The address that signs the user out; null if nothing is needed beyond the page. */
  abstract signOutUrl(user: SignedInUser): Promise<string | null>;
}
