import { Body, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Responses } from '../../platform/http/responses';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../../platform/http/caller';
import { BodyLimit, MAX_BODY_LIMIT } from '../../platform/http/input/body-of-route';
import { idempotentRequestOf } from '../../platform/http/input/idempotency-key';
import { Scopes } from '../../platform/http/scopes';
import { BatchDto } from './batch.dto';
import { BatchService } from './batch.service';
import { BatchAnswerView } from './batch.view';

@ApiController('api/v1/users')
export class BatchController {
  constructor(private readonly batches: BatchService) {}

  /**
   * Create or update many users
   * @remarks Accepts up to 500 users, and counts as one request. The response has the outcome of each element, as a
   * separate request would: an invalid element does not affect the others. If an email, external id or id occurs
   * twice, the first valid element wins and the others are 409s.
   *
   * A batch is one transaction: if it is interrupted, nothing is written, and you can send the same request again.
   */
  @Post('batch')
  @Scopes('users:write')
  @HttpCode(200)
  @BodyLimit(MAX_BODY_LIMIT)
  @Responses({ headers: ['Idempotent-Replayed'], idempotencyKey: true, failures: [409] })
  async batch(
    @CurrentCaller() by: Caller,
    @Body() batch: BatchDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchAnswerView> {
    const { answer, isReplay } = await this.batches.run(by, batch, idempotentRequestOf(request));
    if (isReplay) response.setHeader('Idempotent-Replayed', 'true');
    return answer;
  }
}
