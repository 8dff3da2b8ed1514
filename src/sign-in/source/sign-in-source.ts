import type { Request, Response } from 'express';
import type { Grant } from '../../platform/issuers/claim-rules';
import type { TokenCreatorView } from '../../tokens/token/token.view';

/** A person who has signed in and may open the dashboard. */
export interface SignedInPerson {
  person: TokenCreatorView;
  tokenName: string;
  /** The organizations whose dashboard the person may open. */
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

/** Identifies the person behind a request of the page: by the issuer's answer, or by the host application. */
export abstract class SignInSource {
  abstract status(request: Request): Promise<SignInStatus>;
  /** Whether the request comes from the dashboard itself, and not from another page. */
  abstract isOwnOrigin(request: Request): boolean;
  abstract find(request: Request): Promise<SignedInPerson | null>;
  /** Uses the sign-in up. Returns whether the person may have a token for it. */
  abstract consume(person: SignedInPerson, response: Response): Promise<boolean>;
  /** The address that signs the person out; null if nothing is needed beyond the page. */
  abstract signOutUrl(person: SignedInPerson): Promise<string | null>;
}
