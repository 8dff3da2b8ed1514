import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { TokensModule } from '../tokens/tokens.module';
import { AuthGuard } from './auth.guard';
import { ScopesGuard } from './scopes.guard';

/** Guards for every route of an API controller; other controllers pass untouched. */
@Module({
  imports: [TokensModule, RateLimitModule],
  providers: [
    // They run in this order: who is calling, how often, and whether they may.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: ScopesGuard },
  ],
})
export class AuthModule {}
