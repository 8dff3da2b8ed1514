import { Module } from '@nestjs/common';
import { TokensModule } from '../tokens/tokens.module';
import { AuthController } from './auth.controller';
import { AuthGuard } from './auth.guard';
import { AuthService } from './auth.service';
import { LastUse } from './last-use';
import { Organization } from './organization.entity';
import { OrganizationsService } from './organizations.service';
import { ScopesGuard } from './scopes.guard';

// Nest registers the routes of a module before those of its imports, so `…/current` is matched before `…/:id`.
@Module({
  imports: [TokensModule],
  controllers: [AuthController],
  providers: [AuthService, LastUse, OrganizationsService, AuthGuard, ScopesGuard],
  exports: [OrganizationsService, AuthGuard, ScopesGuard],
})
export class AuthModule {
  static readonly entities = [Organization];
}
