import { Controller, Get, ServiceUnavailableException, UseFilters, UseGuards } from '@nestjs/common';
import { ErrorFilter } from '../http/error.filter';
import { NoQueryGuard } from '../http/no-query.guard';
import { HealthService } from './health.service';

@Controller()
@UseFilters(ErrorFilter)
@UseGuards(NoQueryGuard)
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** The process is alive; asks nobody. */
  @Get('livez')
  live() {
    return { status: 'ok' };
  }

  /** Requests may be sent here. */
  @Get('readyz')
  async ready() {
    const reason = await this.health.reasonNotReady();
    if (reason) throw new ServiceUnavailableException(reason);
    return { status: 'ok' };
  }
}
