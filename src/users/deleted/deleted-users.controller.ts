import { Body, Delete, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Responses } from '../../platform/http/responses';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../../platform/http/caller';
import { entityTag } from '../../platform/http/input/entity-tags';
import { BodyLimit, MAX_BODY_LIMIT, OptionalBody } from '../../platform/http/input/body-of-route';
import { idempotentRequestOf } from '../../platform/http/input/idempotency-key';
import { Scopes } from '../../platform/http/scopes';
import { linkNext, writePage } from '../../platform/pages/page';
import { UserView } from '../user/user.view';
import { UserQuery } from '../query/users-query.dto';
import { BatchRestoreDto } from './batch/batch-delete.dto';
import { BatchRestoreService } from './batch/batch-restore.service';
import { BatchRestoreAnswerView } from './batch/batch-delete.view';
import { DeletedUserPageView, DeletedUserView } from './deleted-user.view';
import { ListDeletedUsersDto, RestoreUserDto } from './deleted-users.dto';
import { DeletedUsersService } from './deleted-users.service';
import { NoIfMatchGuard } from './no-if-match.guard';

@UseGuards(NoIfMatchGuard)
@ApiController('api/v1/deleted-users')
export class DeletedUsersController {
  constructor(
    private readonly deletedUsers: DeletedUsersService,
    private readonly batches: BatchRestoreService,
  ) {}

  /**
   * List deleted users
   * @remarks Returns the deleted users of the organization page by page, latest deletion first. They are kept for 30
   * days, unless the service is configured otherwise.
   */
  @Get()
  @Scopes('users:read')
  @Responses({ headers: ['Link'], view: DeletedUserPageView })
  async list(
    @CurrentCaller() by: Caller,
    @Query() query: ListDeletedUsersDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const page = await this.deletedUsers.listAsText(by, query);
    linkNext(request, response, page);
    return writePage(response, page, (user) => user);
  }

  /**
   * Get a deleted user
   * @remarks Returns one deleted user of the organization.
   */
  @Get(':id')
  @Scopes('users:read')
  get(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Query() query: UserQuery,
  ): Promise<DeletedUserView> {
    return this.deletedUsers.get(by, id, query);
  }

  /**
   * Restore a deleted user
   * @remarks Restores the user with its id, `createdAt` and all other fields; `version` is incremented. If another user
   * has its email by now, this is a 409: send another email in the body. If another user has its external id, give that
   * user another one first. Otherwise the request needs no body.
   */
  @Post(':id/restore')
  @Scopes('users:write')
  @OptionalBody()
  @Responses({ headers: ['ETag'], failures: [409] })
  @HttpCode(200)
  async restore(
    @CurrentCaller() by: Caller,
    @Param('id') id: string,
    @Body() changes: RestoreUserDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserView> {
    const user = await this.deletedUsers.restore(by, id, changes);
    response.setHeader('ETag', entityTag(user.version));
    return user;
  }

  /**
   * Restore many deleted users
   * @remarks Accepts up to 500 users, and counts as one request. The response has the outcome of each element, as a
   * separate request would: one that cannot be restored does not affect the others.
   *
   * A batch is one transaction: if it is interrupted, nobody is restored, and you can send the same request again.
   */
  @Post('batch-restore')
  @Scopes('users:write')
  @HttpCode(200)
  @BodyLimit(MAX_BODY_LIMIT)
  @Responses({ headers: ['Idempotent-Replayed'], idempotencyKey: true, failures: [409] })
  async batchRestore(
    @CurrentCaller() by: Caller,
    @Body() batch: BatchRestoreDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchRestoreAnswerView> {
    const { answer, isReplay } = await this.batches.run(by, batch, idempotentRequestOf(request));
    if (isReplay) response.setHeader('Idempotent-Replayed', 'true');
    return answer;
  }

  /**
   * Purge a deleted user
   * @remarks Erases the user for good: nothing can restore it, and the `data` of all its events is null.
   */
  @Delete(':id')
  @Scopes('admin')
  @HttpCode(204)
  purge(@CurrentCaller() by: Caller, @Param('id') id: string): Promise<void> {
    return this.deletedUsers.purge(by, id);
  }
}
