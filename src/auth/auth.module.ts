import { type CanActivate, Module } from '@nestjs/common';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { TokensModule } from '../tokens/tokens.module';
import { AuthGuard } from './auth.guard';
import { ScopesGuard } from './scopes.guard';
import { GUARDS } from './token.guard';

/** What the TokenGuard asks: who is calling, how often, and whether they may. */
@Module({
  imports: [TokensModule, RateLimitModule],
  providers: [
    AuthGuard,
    RateLimitGuard,
    ScopesGuard,
    {
      provide: GUARDS,
      inject: [AuthGuard, RateLimitGuard, ScopesGuard],
      useFactory: (...guards: CanActivate[]) => guards,
    },
  ],
  exports: [GUARDS],
})
export class AuthModule {}
