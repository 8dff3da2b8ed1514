import { Module } from '@nestjs/common';
import { repositoryOf } from '../database/database.module';
import { Organization } from './organization.entity';
import { OrganizationsService } from './organizations.service';

@Module({
  providers: [repositoryOf(Organization), OrganizationsService],
  exports: [OrganizationsService],
})
export class OrganizationsModule {}
