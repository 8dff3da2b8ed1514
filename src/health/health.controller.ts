import { Controller, Get, ServiceUnavailableException, UseFilters, UseInterceptors } from '@nestjs/common';
import { ErrorFilter } from '../http/error.filter';
import { NoQueryInterceptor } from '../http/no-query.interceptor';
import { HealthService } from './health.service';

@Controller()
@UseFilters(ErrorFilter)
@UseInterceptors(NoQueryInterceptor)
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
