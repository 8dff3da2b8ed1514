import { Injectable } from '@nestjs/common';
import { OrganizationsService } from 'user-management-service';

/** Maps the tenants of the application to organizations of the service. */
@Injectable()
export class TenantsService {
  constructor(private readonly organizations: OrganizationsService) {}

  /** The id of the tenant's organization, which is created on first use. */
  async organizationOf(tenant: { id: string; name: string }): Promise<string> {
    const externalId = tenant.id;
    const { id } =
      (await this.organizations.find({ externalId })) ??
      (await this.organizations.create(tenant.name, { externalId }));
    return id;
  }
}
