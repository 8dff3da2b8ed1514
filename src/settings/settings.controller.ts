import { Get, Inject } from '@nestjs/common';
import { SERVICE_OPTIONS } from '../platform/feature/options.module';
import { ApiController } from '../platform/http/api-controller.decorator';
import { Scopes } from '../platform/http/scopes';
import type { SettingsOptions } from './settings.options';
import { serializeSettings } from './settings.serializer';
import type { SettingsView } from './settings.view';

@ApiController('api/v1/settings')
export class SettingsController {
  constructor(@Inject(SERVICE_OPTIONS) private readonly options: SettingsOptions) {}

  /**
   * Get settings
   * @remarks Returns what the operator of the service has set, as far as it concerns your organization: limits, how
   * long data is kept, and what is available. It cannot be changed here.
   */
  @Get()
  @Scopes('admin')
  get(): SettingsView {
    return serializeSettings(this.options);
  }
}
