import type { Request, Response } from 'express';
import type { Person } from '../../tokens/token.entity';
import type { Grant } from '../oidc/admin-rules';

/** The injection token of the source of people: an issuer, or the host application. */
export const VISITORS = Symbol('visitors');

/** A person who may open the dashboard. */
export interface Visitor {
  person: Person;
  tokenName: string;
  grants: Grant[];
}

/** How people sign in, for the page. */
export interface SignInState {
  /** The name of the issuer; null in a host application. */
  issuer: string | null;
  /** Whether the issuer answers. */
  available: boolean;
  /** Where the sign-in begins; null in a host application. */
  url: string | null;
  /** Whether this browser can open a session now. */
  signedIn: boolean;
}

/** Identifies the person behind a request of the page. */
export interface Visitors {
  state(request: Request): Promise<SignInState>;
  /** Whether the request comes from the dashboard itself, and not from another page. */
  isOwnOrigin(request: Request): boolean;
  find(request: Request): Promise<Visitor | null>;
  /** Returns whether the person may have a token now. */
  claim(visitor: Visitor, response: Response): Promise<boolean>;
  /** Where the person signs out; null if nothing is needed beyond the page. */
  signOutUrl(visitor: Visitor): Promise<string | null>;
}
