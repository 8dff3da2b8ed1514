import { Controller, Get } from '@nestjs/common';
import {
  AnyToken,
  type CallerToken,
  CurrentToken,
  OrganizationId,
  Scopes,
  UsersService,
} from 'user-management-service';

@Controller('reports')
export class ReportsController {
  constructor(private readonly users: UsersService) {}

  @Get('admins')
  @Scopes('users:read')
  async admins(@OrganizationId() organizationId: string) {
    const { data } = await this.users.list(organizationId, { role: 'admin', limit: 200 });
    return data.map(({ name }) => name);
  }

  @Get('me')
  @AnyToken()
  me(@CurrentToken() token: CallerToken) {
    return token.scopes;
  }
}
