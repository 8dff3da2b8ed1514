import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { Database } from '../database/database';
import type { Feature } from '../feature/feature';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { TokenWindows } from '../rate-limit/token-windows';
import { TokensModule } from '../tokens/tokens.module';
import { TokensService } from '../tokens/tokens.service';
import { ClientCredentialsGrant } from './client-credentials.grant';
import { JwtBearerGrant } from './jwt-bearer.grant';
import { TokenController } from './token.controller';
import type { TokenIssuersOptions } from './token-issuers';

@Module({
  imports: [AuthModule, RateLimitModule, TokensModule],
  controllers: [TokenController],
  providers: [
    ClientCredentialsGrant,
    {
      provide: JwtBearerGrant,
      inject: [SERVICE_OPTIONS, Database, TokenWindows, TokensService],
      useFactory: (
        { tokenIssuers }: TokenIssuersOptions,
        database: Database,
        windows: TokenWindows,
        tokens: TokensService,
      ) => tokenIssuers && JwtBearerGrant.open(tokenIssuers, database, windows, tokens),
    },
  ],
})
export class OAuthModule {
  static readonly feature: Feature = {
    personal: [],
    tags: [
      {
        name: 'OAuth',
        description:
          'Short-lived tokens for programs that keep no token of their own, by the exchanges of OAuth 2.0. The operation is also ' +
          'served below `/api`, as `/api/oauth/token`, so that a gateway needs only one rule.',
        after: 'Tokens',
      },
    ],
  };
}
