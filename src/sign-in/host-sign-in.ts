import type { Request } from 'express';
import { isId } from '../database/id';
import { isSubject, nameOf } from './source/user-name';
import type { HostPerson, HostSignIn } from './sign-in.options';
import type { SignInState, Visitor, Visitors } from './source/sign-in-source';

/** The issuer of people whom the host application has recognized. */
const APPLICATION = 'application';

/** People whom the host application recognizes, by whatever session it has. */
export class HostVisitors implements Visitors {
  constructor(private readonly signIn: HostSignIn) {}

  async state(request: Request): Promise<SignInState> {
    return { issuer: null, available: true, url: null, signedIn: (await this.find(request)) !== null };
  }

  /** The host's own session is a cookie, which a browser sends along from other pages too. */
  isOwnOrigin(request: Request): boolean {
    const { origin = '' } = request.headers;
    return URL.canParse(origin) && new URL(origin).host === request.host;
  }

  async find(request: Request): Promise<Visitor | null> {
    const found = await this.signIn(request);
    if (found === null || found === undefined) return null;
    requirePerson(found);
    const { organizationId, scopes = ['admin'], name, subject = name } = found;
    return {
      person: { issuer: APPLICATION, subject, name: nameOf(name, subject) },
      tokenName: nameOf(name, subject),
      grants: [{ organizationId, scopes }],
    };
  }

  claim = async (): Promise<boolean> => true;

  signOutUrl = async (): Promise<null> => null;
}

function requirePerson({ organizationId, name, subject = name }: HostPerson): void {
  if (typeof organizationId === 'string' && isId('org', organizationId))
    if (typeof name === 'string' && typeof subject === 'string' && isSubject(subject)) return;
  throw new Error(
    'dashboard.signIn must return null, or the id of an organization, a name, and a subject of at most 255 characters.',
  );
}
