import { Body, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Responses } from '../http/responses';
import { ApiController } from '../http/api-controller.decorator';
import { requestIdOf } from '../http/request-id';
import { Public } from '../http/scopes';
import { ReportLimitGuard } from './report-limit.guard';
import { ReportLeaksDto } from './leaks.dto';
import { LeaksService } from './leaks.service';

// The guard runs before those of @ApiController(), so a refused report counts too, and its body is not read.
@ApiController('v1/tokens', 'api/v1/tokens')
@UseGuards(ReportLimitGuard)
export class LeaksController {
  constructor(private readonly leaks: LeaksService) {}

  /**
   * Report leaked tokens
   * @remarks For secret scanners: revokes each of these values that is an active token, of any organization. The response is the same
   * for all values, so it tells nothing about them. An address may send 60 reports an hour. It is a 404 unless the operators have
   * enabled it.
   */
  @Post('leaked')
  @Public()
  @HttpCode(202)
  @Responses({ failures: [404, 429, 500, 503] })
  async reportLeaks(@Body() { tokens }: ReportLeaksDto, @Req() request: Request): Promise<object> {
    await this.leaks.report(tokens, requestIdOf(request));
    return {};
  }
}
