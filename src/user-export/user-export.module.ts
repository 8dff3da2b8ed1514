import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module';
import { GroupsModule } from '../groups/groups.module';
import type { Feature } from '../platform/feature/feature';
import { UsersModule } from '../users/users.module';
import { UserExportController } from './user-export.controller';
import { UserExportService } from './user-export.service';

@Module({
  imports: [UsersModule, GroupsModule, EventsModule],
  controllers: [UserExportController],
  providers: [UserExportService],
})
export class UserExportModule {
  static readonly feature: Feature = { personal: [] };
}
