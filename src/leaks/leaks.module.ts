import { type DynamicModule, Module } from '@nestjs/common';
import { ReportLimitGuard } from './report-limit.guard';
import { Reporters } from './reporters';
import { LeaksController } from './leaks.controller';
import { LeaksService } from './leaks.service';

export interface LeaksOptions {
  /** Whether anybody may report leaked tokens, at `/v1/tokens/leaked`. */
  leakReports: boolean;
}

/** Without reports it still removes what it kept of those who have reported. */
@Module({ providers: [LeaksService, Reporters, ReportLimitGuard] })
export class LeaksModule {
  static with({ leakReports }: LeaksOptions): DynamicModule {
    return { module: LeaksModule, controllers: leakReports ? [LeaksController] : [] };
  }
}
