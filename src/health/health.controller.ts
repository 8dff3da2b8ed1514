import { Controller, Get, ServiceUnavailableException, UseGuards } from '@nestjs/common';
import { Answers } from '../http/answers';
import { NoQueryGuard } from '../http/input/no-query.guard';
import { Public } from '../http/scopes';
import { HealthService } from './health.service';
import { HealthView } from './health.view';

@Controller()
@Public()
@UseGuards(NoQueryGuard)
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** Check that the process is alive. */
  @Get('livez')
  live(): HealthView {
    return { status: 'ok' };
  }

  /** Check that the service can take requests. */
  @Get('readyz')
  @Answers({ failures: [503] })
  async ready(): Promise<HealthView> {
    const reason = await this.health.reasonNotReady();
    if (reason) throw new ServiceUnavailableException(reason);
    return { status: 'ok' };
  }
}
