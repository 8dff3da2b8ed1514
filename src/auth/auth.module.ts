import { Module } from '@nestjs/common';
import type { Feature } from '../feature/feature';
import { AuthGuard } from './auth.guard';
import { AuthService } from './auth.service';
import { LastUse } from './last-use';
import { Organization } from './organization.entity';
import { OrganizationsService } from './organizations.service';
import { ScopesGuard } from './scopes.guard';

@Module({
  providers: [AuthService, LastUse, OrganizationsService, AuthGuard, ScopesGuard],
  exports: [AuthService, OrganizationsService, AuthGuard, ScopesGuard],
})
export class AuthModule {
  static readonly feature: Feature = { entities: [Organization], ids: { organization: 'org' } };
}
