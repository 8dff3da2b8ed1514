import { Module } from '@nestjs/common';
import { BackgroundModule } from '../platform/background/background.module';
import type { Feature } from '../platform/feature/feature';
import { Organization } from './organization.entity';
import { OrganizationDeletions } from './organization-deletion';
import { OrganizationsService } from './organizations.service';

@Module({
  imports: [BackgroundModule],
  providers: [OrganizationsService, OrganizationDeletions],
  exports: [OrganizationsService],
})
export class OrganizationsModule {
  static readonly feature: Feature = {
    entities: [Organization],
    personal: [],
    ids: { organization: 'org' },
    tags: [
      {
        name: 'Organizations',
        description:
          'The organizations of the service, for its operator. These operations require the token in `OPERATOR_TOKEN`, without which ' +
          'they do not exist, and no token of an organization. They are also served below `/api`, as `/api/v1/organizations`.',
        idOf: 'organization',
      },
    ],
  };
}
