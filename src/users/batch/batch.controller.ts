import { Body, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Responses } from '../../http/responses';
import { ApiController } from '../../http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../../http/caller';
import { BodyLimit } from '../../http/input/body-limit';
import { idempotentRequestOf } from '../../http/input/idempotency-key';
import { Scopes } from '../../http/scopes';
import { BatchDto } from './batch.dto';
import { BatchService } from './batch.service';
import { BatchAnswerView } from './batch.view';

@ApiController('api/v1/users')
export class BatchController {
  constructor(private readonly batches: BatchService) {}

  /**
   * Create or update many users
   * @remarks Takes up to 500 users, and is one request for the rate limit. The response says what became of each, as a request
   * of its own would: an element that is wrong harms no other. If an email occurs twice, the first valid element wins and the
   * others are 409s.
   *
   * A batch is one transaction: if it is cut short, nothing of it is written, and the same request can be sent again.
   */
  @Post('batch')
  @Scopes('users:write')
  @HttpCode(200)
  @BodyLimit(1024 * 1024)
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
