import { type DynamicModule, Module } from '@nestjs/common';
import { ReportLimitGuard } from './report-limit.guard';
import { LeaksController } from './leaks.controller';
import { LeaksService } from './leaks.service';

export interface LeaksOptions {
  /** Whether anybody may report leaked tokens, at `/v1/tokens/leaked`. */
  leakReports: boolean;
}

@Module({ providers: [LeaksService, ReportLimitGuard] })
export class LeaksModule {
  static with({ leakReports }: LeaksOptions): DynamicModule {
    return { module: LeaksModule, controllers: leakReports ? [LeaksController] : [] };
  }
}
