import { Get } from '@nestjs/common';
import { ApiController } from '../platform/http/api-controller.decorator';
import { type Caller, CurrentCaller } from '../platform/http/caller';
import { Scopes } from '../platform/http/scopes';
import { StatisticsService } from './statistics.service';
import { StatisticsView } from './statistics.view';

@ApiController('api/v1/statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsService) {}

  /**
   * Get statistics
   * @remarks Returns the organization at a glance: how many users it has, and how many were created on each of the last
   * 30 days. It may be up to a minute old. `total` and `active` are counted up to 100,000 each: a number that reaches
   * this means "at least", and `exact` is false.
   */
  @Get()
  @Scopes('users:read')
  get(@CurrentCaller() by: Caller): Promise<StatisticsView> {
    return this.statistics.get(by);
  }
}
