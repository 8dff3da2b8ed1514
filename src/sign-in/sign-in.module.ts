import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { NetworkLimiter } from '../rate-limit/network-limiter';
import { TokensModule } from '../tokens/tokens.module';
import { claimsOf } from './oidc/admin-rules';
import { HostVisitors } from './host-sign-in';
import { Issuer } from './oidc/issuer';
import { OidcSignIn } from './oidc/oidc-sign-in';
import { OidcVisitors } from './oidc/oidc-sign-in-source';
import { SessionController } from './session.controller';
import { SessionsService } from './sessions.service';
import { SignInController } from './oidc/sign-in.controller';
import type { HostSignIn, OidcSettings, SignInOptions } from './sign-in.options';
import { SignInRound } from './oidc/used-attempt.entity';
import { SpentRounds } from './oidc/used-attempts';
import { VISITORS } from './source/sign-in-source';

/** When sign-in is off, it still deletes the rounds of earlier ones. */
@Module({
  imports: [TokensModule],
  providers: [SpentRounds, SessionsService],
})
export class SignInModule {
  static readonly entities = [SignInRound];

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
  providers: [{ provide: VISITORS, useValue: new HostVisitors(signIn) }],
});

const atIssuer = (settings: OidcSettings) => ({
  controllers: [SessionController, SignInController],
  providers: [
    {
      provide: OidcSignIn,
      inject: [SpentRounds, NetworkLimiter],
      useFactory: async (spent: SpentRounds, limiter: NetworkLimiter) =>
        new OidcSignIn(settings, await Issuer.open(settings, claimsOf(settings.rules)), spent, limiter),
    },
    {
      provide: VISITORS,
      inject: [OidcSignIn],
      useFactory: (signIn: OidcSignIn) => new OidcVisitors(signIn),
    },
  ],
});
