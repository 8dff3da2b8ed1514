import {
  Body,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { OrganizationId } from '../auth/caller.decorator';
import { Scopes } from '../auth/scopes.decorator';
import { ApiController } from '../http/api-controller.decorator';
import { below } from '../http/location';
import { NextLinkInterceptor, serializePage } from '../http/page';
import { serializeUser } from './user.serializer';
import { UserSearch } from './user-search';
import { CreateUserDto, ListUsersDto, SearchUsersDto, UpdateUserDto } from './users.dto';
import { UsersService } from './users.service';

@ApiController('api/v1/users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly userSearch: UserSearch,
  ) {}

  @Get()
  @Scopes('users:read')
  @UseInterceptors(NextLinkInterceptor)
  async list(@OrganizationId() organizationId: string, @Query() query: ListUsersDto) {
    return serializePage(await this.users.list(organizationId, query), serializeUser);
  }

  @Post()
  @Scopes('users:write')
  async create(
    @OrganizationId() organizationId: string,
    @Body() user: CreateUserDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const created = await this.users.create(organizationId, user);
    response.location(below(request, created.id));
    return serializeUser(created);
  }

  @Get('search')
  @Scopes('users:read')
  @UseInterceptors(NextLinkInterceptor)
  async search(@OrganizationId() organizationId: string, @Query() query: SearchUsersDto) {
    return serializePage(await this.userSearch.search(organizationId, query), serializeUser);
  }

  @Get(':id')
  @Scopes('users:read')
  async get(@OrganizationId() organizationId: string, @Param('id') id: string) {
    return serializeUser(await this.users.get(organizationId, id));
  }

  @Patch(':id')
  @Scopes('users:write')
  async update(
    @OrganizationId() organizationId: string,
    @Param('id') id: string,
    @Body() changes: UpdateUserDto,
  ) {
    return serializeUser(await this.users.update(organizationId, id, changes));
  }

  @Delete(':id')
  @Scopes('users:delete')
  @HttpCode(204)
  delete(@OrganizationId() organizationId: string, @Param('id') id: string) {
    return this.users.delete(organizationId, id);
  }
}
