import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isId } from '../platform/database/id';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import type { HostPerson, HostSignIn, SignInOptions } from './sign-in.options';
import { type SignedInPerson, SignInSource, type SignInStatus } from './source/sign-in-source';
import { displayName, isSubject } from '../platform/issuers/subject-name';

/** The issuer of people whom the host application has recognized. */
const APPLICATION = 'application';

/** People whom the host application recognizes, by whatever session it has. */
@Injectable()
export class HostSignInSource extends SignInSource {
  private readonly signIn: HostSignIn;

  constructor(@Inject(SERVICE_OPTIONS) { dashboard }: SignInOptions) {
    super();
    this.signIn = (dashboard as { signIn: HostSignIn }).signIn;
  }

  async status(request: Request): Promise<SignInStatus> {
    return { issuer: null, available: true, url: null, signedIn: (await this.find(request)) !== null };
  }

  /** The host's own session is a cookie, which a browser sends along from other pages too. */
  isOwnOrigin(request: Request): boolean {
    const { origin = '' } = request.headers;
    return URL.canParse(origin) && new URL(origin).host === request.host;
  }

  async find(request: Request): Promise<SignedInPerson | null> {
    const found = await this.signIn(request);
    if (found === null || found === undefined) return null;
    requirePerson(found);
    const { organizationId, scopes = ['admin'], name, subject = name } = found;
    const tokenName = displayName(name, subject);
    return {
      person: { issuer: APPLICATION, subject, name: tokenName },
      tokenName,
      organizations: [{ organizationId, scopes }],
    };
  }

  async consume(): Promise<boolean> {
    return true;
  }

  async signOutUrl(): Promise<null> {
    return null;
  }
}

function requirePerson({ organizationId, name, subject = name }: HostPerson): void {
  if (typeof organizationId === 'string' && isId('org', organizationId))
    if (typeof name === 'string' && typeof subject === 'string' && isSubject(subject)) return;
  throw new Error(
    'dashboard.signIn must return null, or the id of an organization, a name, and a subject of at most 255 characters.',
  );
}
