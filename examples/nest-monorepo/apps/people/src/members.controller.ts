import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import {
  CreateUserDto,
  CurrentUser,
  OrganizationId,
  Scopes,
  type UserRecord,
  UsersService,
} from 'user-management-service';

/** Users of the service, on routes of the application. */
@Controller('members')
export class MembersController {
  constructor(private readonly users: UsersService<{ plan?: 'free' | 'pro' }>) {}

  @Post()
  @Scopes('users:write')
  @ApiBody({ schema: { $ref: '#/components/schemas/CreateUser' } })
  async create(@OrganizationId() organizationId: string, @Body() user: CreateUserDto) {
    const { id, metadata } = await this.users.create(organizationId, user);
    return { id, plan: metadata.plan ?? 'free' };
  }

  @Get('me')
  me(@CurrentUser() user: UserRecord) {
    return user.name;
  }
}
