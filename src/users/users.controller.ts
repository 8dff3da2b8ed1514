import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OrganizationId } from '../auth/caller.decorator';
import { Scopes } from '../auth/scopes.decorator';
import { ApiController } from '../http/api-controller.decorator';
import { below } from '../http/location';
import { linkNext, serializePage, writePage } from '../http/page';
import { serializeUser, userAsJson } from './user.serializer';
import { UserSearch } from './user-search';
import { UserPageView, UserView } from './user.view';
import { CreateUserDto, ListUsersDto, SearchUsersDto, UpdateUserDto } from './users.dto';
import { UsersService } from './users.service';

@ApiController('api/v1/users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly userSearch: UserSearch,
  ) {}

  /** The users of the organization, page by page. */
  @Get()
  @Scopes('users:read')
  async list(
    @OrganizationId() organizationId: string,
    @Query() query: ListUsersDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserPageView> {
    const page = await this.users.listAsText(organizationId, query);
    linkNext(request, response, page);
    return writePage(response, page, userAsJson);
  }

  /** Makes a user. */
  @Post()
  @Scopes('users:write')
  async create(
    @OrganizationId() organizationId: string,
    @Body() user: CreateUserDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const created = await this.users.create(organizationId, user);
    response.location(below(request, created.id));
    return serializeUser(created);
  }

  /** The users that a text finds, best match first. */
  @Get('search')
  @Scopes('users:read')
  async search(
    @OrganizationId() organizationId: string,
    @Query() query: SearchUsersDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserPageView> {
    const page = await this.userSearch.search(organizationId, query);
    linkNext(request, response, page);
    return serializePage(page, serializeUser);
  }

  /** One user. */
  @Get(':id')
  @Scopes('users:read')
  async get(@OrganizationId() organizationId: string, @Param('id') id: string): Promise<UserView> {
    return serializeUser(await this.users.get(organizationId, id));
  }

  /** Changes the fields that are present, and no others; `metadata` is replaced as a whole. */
  @Patch(':id')
  @Scopes('users:write')
  async update(
    @OrganizationId() organizationId: string,
    @Param('id') id: string,
    @Body() changes: UpdateUserDto,
  ): Promise<UserView> {
    return serializeUser(await this.users.update(organizationId, id, changes));
  }

  /** Deletes a user. */
  @Delete(':id')
  @Scopes('users:delete')
  @HttpCode(204)
  delete(@OrganizationId() organizationId: string, @Param('id') id: string): Promise<void> {
    return this.users.delete(organizationId, id);
  }
}
