import { type DynamicModule, Module } from '@nestjs/common';
import { ReportLimitGuard } from './report-limit.guard';
import { ReportLimiter } from './report-limiter';
import { LeaksController } from './leaks.controller';
import { LeaksService } from './leaks.service';

export interface LeaksOptions {
  /** Whether anybody may report leaked tokens, at `/v1/tokens/leaked`. */
  leakReports: boolean;
}

/** When reports are off, it still deletes the windows of earlier ones. */
@Module({ providers: [LeaksService, ReportLimiter, ReportLimitGuard] })
export class LeaksModule {
  static with({ leakReports }: LeaksOptions): DynamicModule {
    return { module: LeaksModule, controllers: leakReports ? [LeaksController] : [] };
  }
}
