import { Module } from '@nestjs/common';
import { AuthGuard } from './auth.guard';
import { AuthService } from './auth.service';
import { LastUse } from './last-use';
import { ScopesGuard } from './scopes.guard';

@Module({
  providers: [AuthService, LastUse, AuthGuard, ScopesGuard],
  exports: [AuthService, AuthGuard, ScopesGuard],
})
export class AuthModule {}
