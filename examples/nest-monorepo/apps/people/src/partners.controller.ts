import { Controller, Get } from '@nestjs/common';
import {
  InjectUserManagement,
  OrganizationId,
  Scopes,
  TokensOf,
  UsersService,
} from 'user-management-service';

@Controller('partners')
export class PartnersController {
  constructor(@InjectUserManagement(UsersService, 'partners') private readonly partners: UsersService) {}

  @Get()
  @Scopes('users:read')
  @TokensOf('partners')
  async list(@OrganizationId() organizationId: string) {
    return (await this.partners.list(organizationId)).data;
  }
}
