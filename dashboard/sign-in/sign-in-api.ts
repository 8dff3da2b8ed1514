import type { Client } from '../../client/index.ts';
import { dashboardUrl } from '../router/address.ts';
import { type EndReason, openSession, type Session, type SessionEvents } from '../session/session.ts';

/** The way to sign in without the value of a token. */
export interface SignInState {
  /** The name of the issuer; null in a host application. */
  issuer: string | null;
  available: boolean;
  /** The address at which the sign-in begins; null in a host application. */
  url: string | null;
  /** Whether a session can be opened now. */
  signedIn: boolean;
}

export interface Organization {
  id: string;
  name: string;
}

/** Whether people can sign in so: the service says it in the page. */
export const hasSignIn = document.querySelector('meta[name="sign-in"]') !== null;

/** Remembers that this tab has signed in, so that a reload does it again. Nothing else is stored. */
const REMEMBERED = 'ums-signed-in';

export const isRemembered = () => sessionStorage.getItem(REMEMBERED) !== null;
export const forget = () => sessionStorage.removeItem(REMEMBERED);

export async function readState(): Promise<SignInState> {
  const response = await fetch(`${dashboardUrl}/session`);
  if (!response.ok) throw new Error('The service does not answer.');
  return response.json();
}

/** Goes to the issuer, and comes back to this page. `isSilent`: only if it asks nothing. */
export function goToIssuer(url: string, isSilent: boolean): void {
  const to = location.pathname.slice(new URL(dashboardUrl).pathname.length);
  const query = new URLSearchParams({ to, ...(isSilent && { prompt: 'none' }) });
  location.replace(`${url}?${query}`);
}

/** Opens the session of the person who has signed in, or returns the organizations to choose from. */
export async function openSignedIn(
  events: SessionEvents,
  organizationId?: string,
): Promise<Session | Organization[]> {
  const response = await fetch(`${dashboardUrl}/session`, {
    method: 'POST',
    ...(organizationId && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ organizationId }),
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  if (body.organizations) return body.organizations;
  const session = await openSession(body.token, events, (client, reason) =>
    signOut(client, reason, body.signOutUrl),
  );
  sessionStorage.setItem(REMEMBERED, 'yes');
  return session;
}

/** Revokes the token, which nobody has any more, and signs out at the issuer if the person wants to. */
function signOut(client: Client, reason: EndReason, url: string | null): void {
  forget();
  const isOver = reason === 'refused' || reason === 'revoked' || reason === 'suspended';
  const revoked = isOver ? Promise.resolve() : client.tokens.revoke('current').catch(() => {});
  void revoked.then(() => {
    if (reason === 'signed-out' && url) location.assign(url);
  });
}
