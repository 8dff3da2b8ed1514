import { Body, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiController } from '../../../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../../../platform/http/caller';
import { BodyLimit, MAX_BODY_LIMIT } from '../../../platform/http/input/body-of-route';
import { idempotentRequestOf } from '../../../platform/http/input/idempotency-key';
import { Responses } from '../../../platform/http/responses';
import { Scopes } from '../../../platform/http/scopes';
import { BatchDeleteDto } from './batch-delete.dto';
import { BatchDeleteService } from './batch-delete.service';
import { BatchDeleteAnswerView } from './batch-delete.view';

@ApiController('api/v1/users')
export class BatchDeleteController {
  constructor(private readonly batches: BatchDeleteService) {}

  /**
   * Delete many users
   * @remarks Accepts up to 500 users, and counts as one request. The response has the outcome of each element, as a
   * separate request would: one that cannot be deleted does not affect the others. `POST
   * /api/v1/deleted-users/batch-restore` undoes it.
   *
   * A batch is one transaction: if it is interrupted, nobody is deleted, and you can send the same request again.
   */
  @Post('batch-delete')
  @Scopes('users:delete')
  @HttpCode(200)
  @BodyLimit(MAX_BODY_LIMIT)
  @Responses({ headers: ['Idempotent-Replayed'], idempotencyKey: true, failures: [409] })
  async batchDelete(
    @CurrentCaller() by: Caller,
    @Body() batch: BatchDeleteDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchDeleteAnswerView> {
    const { answer, isReplay } = await this.batches.run(by, batch, idempotentRequestOf(request));
    if (isReplay) response.setHeader('Idempotent-Replayed', 'true');
    return answer;
  }
}
