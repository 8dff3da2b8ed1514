import { Body, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Responses } from '../platform/http/responses';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../platform/http/caller';
import { BodyTypes } from '../platform/http/input/body-of-route';
import { idempotentRequestOf } from '../platform/http/input/idempotency-key';
import { entityTag, freshness, preconditionOf } from '../platform/http/input/entity-tags';
import { mediaTypeOf } from '../platform/http/input/read-body';
import { locationOf } from '../platform/http/location';
import { Scopes } from '../platform/http/scopes';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { linkNext, writePage } from '../platform/pages/page';
import { userToJson } from './user/user.serializer';
import { UserPageView, UserView } from './user/user.view';
import { CreateUserDto, MergeUserDto, UpdateUserDto } from './user/user.dto';
import { ListUsersDto, UserQuery } from './query/users-query.dto';
import { UsersService } from './users.service';

const MERGE_PATCH = 'application/merge-patch+json';

export interface UsersOptions {
  requireIfMatch: boolean;
}

@ApiController('api/v1/users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    @Inject(SERVICE_OPTIONS) private readonly options: UsersOptions,
  ) {}

  /**
   * List users
   * @remarks Returns the users of the organization page by page, newest first by default.
   */
  @Get()
  @Scopes('users:read')
  @Responses({ headers: ['Link'], view: UserPageView })
  async list(
    @CurrentCaller() by: Caller,
    @Query() query: ListUsersDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    // As text, because parsing times and metadata only to serialize them again costs a list 45 % more CPU.
    const page = await this.users.listAsText(by, query);
    linkNext(request, response, page);
    return writePage(response, page, userToJson);
  }

  /**
   * Create a user
   * @remarks No two users of an organization may have the same email; letter case is ignored.
   */
  @Post()
  @Scopes('users:write')
  @Responses({ headers: ['Location', 'ETag', 'Idempotent-Replayed'], idempotencyKey: true, failures: [409] })
  async create(
    @CurrentCaller() by: Caller,
    @Body() user: CreateUserDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const once = idempotentRequestOf(request);
    const { response: created, isReplay } = once
      ? await this.users.createOnce(by, user, once)
      : { response: await this.users.create(by, user), isReplay: false };
    if (isReplay) response.setHeader('Idempotent-Replayed', 'true');
    response.location(locationOf(request, created.id));
    response.setHeader('ETag', entityTag(created.version));
    return created;
  }

  /**
   * Get a user
   * @remarks Returns one user of the organization.
   */
  @Get(':id')
  @Scopes('users:read')
  @Responses({ headers: ['ETag'], conditions: ['If-None-Match'] })
  async get(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Query() query: UserQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView | undefined> {
    const isFresh = freshness(request);
    const user = await this.users.get(by, id, query);
    response.setHeader('ETag', entityTag(user.version));
    if (!isFresh(user.version)) return user;
    response.status(304);
  }

  /**
   * Update a user
   * @remarks Changes the fields in the body and no others. `metadata` is replaced as a whole, or merged if the body is
   * a merge patch (`application/merge-patch+json`, RFC 7396). An empty object changes nothing.
   */
  @Patch(':id')
  @Scopes('users:write')
  @BodyTypes({ 'application/json': UpdateUserDto, [MERGE_PATCH]: MergeUserDto })
  @Responses({ headers: ['ETag'], conditions: ['If-Match', 'If-None-Match'], failures: [409] })
  async update(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() changes: UpdateUserDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const precondition = preconditionOf(request, 'user', this.options.requireIfMatch);
    const user = await (mediaTypeOf(request) === MERGE_PATCH
      ? this.users.merge(by, id, changes, precondition)
      : this.users.update(by, id, changes, precondition));
    response.setHeader('ETag', entityTag(user.version));
    return user;
  }

  /**
   * Delete a user
   * @remarks Moves the user to the deleted users, where it can be restored for 30 days, unless the service is
   * configured otherwise. Another user can have its email at once. A second request is a 404.
   */
  @Delete(':id')
  @Scopes('users:delete')
  @Responses({ conditions: ['If-Match', 'If-None-Match'], failures: [409] })
  @HttpCode(204)
  delete(@CurrentCaller() by: Caller, @Param('id') id: string, @Req() request: Request): Promise<void> {
    return this.users.delete(by, id, preconditionOf(request, 'user', this.options.requireIfMatch));
  }
}
