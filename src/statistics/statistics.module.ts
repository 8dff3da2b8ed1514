import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module';
import type { Feature } from '../platform/feature/feature';
import { StatisticsController } from './statistics.controller';
import { StatisticsService } from './statistics.service';

@Module({
  imports: [OrganizationsModule],
  controllers: [StatisticsController],
  providers: [StatisticsService],
})
export class StatisticsModule {
  static readonly feature: Feature = {
    personal: [],
    tags: [{ name: 'Statistics', description: 'The organization at a glance.' }],
  };
}
