import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import type { Feature } from '../platform/feature/feature';
import { RateLimitModule } from '../platform/rate-limit/rate-limit.module';
import { TokensModule } from '../tokens/tokens.module';
import { GRANTS } from './grants';
import { TokenController } from './token.controller';

@Module({
  imports: [AuthModule, RateLimitModule, TokensModule],
  controllers: [TokenController],
  providers: [...GRANTS],
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
      },
    ],
  };
}
