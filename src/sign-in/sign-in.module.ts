import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { NetworkLimiter } from '../rate-limit/network-limiter';
import { TokensModule } from '../tokens/tokens.module';
import { claimsOf } from './oidc/admin-rules';
import { HostSignInSource } from './host-sign-in';
import { Issuer } from './oidc/issuer';
import { OidcSignIn } from './oidc/oidc-sign-in';
import { OidcSignInSource } from './oidc/oidc-sign-in-source';
import { SessionController } from './session.controller';
import { SessionsService } from './sessions.service';
import { SignInController } from './oidc/sign-in.controller';
import type { OidcSettings } from './oidc/sign-in-settings';
import type { HostSignIn, SignInOptions } from './sign-in.options';
import { UsedAttempt } from './oidc/used-attempt.entity';
import { UsedAttempts } from './oidc/used-attempts';
import { SignInSource } from './source/sign-in-source';

/** Even when sign-in is off, it deletes expired attempts of earlier sign-ins. */
@Module({
  imports: [TokensModule],
  providers: [UsedAttempts, SessionsService],
})
export class SignInModule {
  static readonly entities = [UsedAttempt];

  static with(options: SignInOptions): DynamicModule {
    return { module: SignInModule, ...wayOf(options) };
  }
}

/** Whether people can sign in to the dashboard other than with the value of a token. */
export const hasSignIn = ({ dashboard, oidc }: SignInOptions): boolean =>
  typeof dashboard === 'object' || (dashboard && oidc !== undefined);

function wayOf({ dashboard, oidc }: SignInOptions): { controllers?: Type[]; providers?: Provider[] } {
  if (typeof dashboard === 'object') return atHost(dashboard.signIn);
  return dashboard && oidc ? atIssuer(oidc) : {};
}

const atHost = (signIn: HostSignIn) => ({
  controllers: [SessionController],
  providers: [{ provide: SignInSource, useValue: new HostSignInSource(signIn) }],
});

const atIssuer = (settings: OidcSettings) => ({
  controllers: [SessionController, SignInController],
  providers: [
    {
      provide: OidcSignIn,
      inject: [UsedAttempts, NetworkLimiter],
      useFactory: async (used: UsedAttempts, limiter: NetworkLimiter) =>
        new OidcSignIn(settings, await Issuer.open(settings, claimsOf(settings.rules)), used, limiter),
    },
    {
      provide: SignInSource,
      inject: [OidcSignIn],
      useFactory: (signIn: OidcSignIn) => new OidcSignInSource(signIn),
    },
  ],
});
