import { Controller, Get, ServiceUnavailableException, UseGuards } from '@nestjs/common';
import { Responses } from '../../platform/http/responses';
import { NoQueryGuard } from '../../platform/http/input/no-query.guard';
import { Public } from '../../platform/http/scopes';
import { HealthService } from './health.service';
import { HealthView } from './health.view';

@Controller()
@Public()
@UseGuards(NoQueryGuard)
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /**
   * Check liveness
   * @remarks Answers 200 while the process runs, whatever the state of the database.
   */
  @Get('livez')
  live(): HealthView {
    return { status: 'ok' };
  }

  /**
   * Check readiness
   * @remarks Answers 200 when the service can take requests: the database answers, its schema is new enough, its role
   * may use the tables, and the service is neither starting nor shutting down. Otherwise `detail` says why not.
   */
  @Get('readyz')
  @Responses({ failures: [503] })
  async ready(): Promise<HealthView> {
    const reason = await this.health.reasonNotReady();
    if (reason) throw new ServiceUnavailableException(reason);
    return { status: 'ok' };
  }
}
