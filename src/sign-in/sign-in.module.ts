import { Module, type Type } from '@nestjs/common';
import { BackgroundModule } from '../platform/background/background.module';
import type { Feature } from '../platform/feature/feature';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { claimsOf } from '../platform/issuers/claim-rules';
import { RateLimitModule } from '../platform/rate-limit/rate-limit.module';
import { TokensModule } from '../tokens/tokens.module';
import { HostSignInSource } from './host-sign-in';
import { Issuer } from './oidc/issuer';
import { OidcSignIn } from './oidc/oidc-sign-in';
import { OidcSettings } from './oidc/sign-in-settings';
import { SignInController } from './oidc/sign-in.controller';
import { UsedAttempt } from './oidc/used-attempt.entity';
import { UsedAttempts } from './oidc/used-attempts';
import { SessionController } from './session.controller';
import { SessionsService } from './sessions.service';
import type { SignInOptions } from './sign-in.options';
import { SignInSource } from './source/sign-in-source';

/** Even when sign-in is off, it deletes expired attempts of earlier sign-ins. */
@Module({
  imports: [BackgroundModule, TokensModule],
  providers: [UsedAttempts, SessionsService],
  exports: [UsedAttempts, SessionsService],
})
export class SignInModule {
  static readonly feature: Feature = { entities: [UsedAttempt], personal: [] };
}

/** Signing in with the session of a host application. */
@Module({
  imports: [SignInModule],
  controllers: [SessionController],
  providers: [{ provide: SignInSource, useClass: HostSignInSource }],
})
class HostSignInModule {}

/** Signing in at an OpenID Connect issuer. */
@Module({
  imports: [SignInModule, RateLimitModule],
  controllers: [SessionController, SignInController],
  providers: [
    { provide: OidcSettings, inject: [SERVICE_OPTIONS], useFactory: ({ oidc }: SignInOptions) => oidc },
    {
      provide: Issuer,
      inject: [OidcSettings],
      useFactory: (settings: OidcSettings) => Issuer.open(settings, claimsOf(settings.rules)),
    },
    OidcSignIn,
    { provide: SignInSource, useExisting: OidcSignIn },
  ],
})
class OidcSignInModule {}

/** The way to sign in without the value of a token, if the options have one. */
export function signInModules({ dashboard, oidc }: SignInOptions): Type[] {
  if (typeof dashboard === 'object') return [HostSignInModule];
  return dashboard && oidc ? [OidcSignInModule] : [];
}
